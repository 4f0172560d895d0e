import { expect } from 'chai';
import { readManifestFiles } from '../../../lib/cli/manifests/manifest-files.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';

const namespace = (name: string): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n`;

describe('manifest files', () => {
  let scratch: ScratchDirectory;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const read = async (
    files: Readonly<Record<string, string>>,
  ): ReturnType<typeof readManifestFiles> => {
    for (const [name, text] of Object.entries(files)) await scratch.write(name, text);
    return await readManifestFiles(scratch.path);
  };

  /** The message, without the path of the folder. */
  const mistakeIn = async (files: Readonly<Record<string, string>>): Promise<string> => {
    try {
      await read(files);
    } catch (error) {
      expect(isListwatchError(error, 'MANIFEST_INVALID')).to.equal(true);
      return (error as Error).message.replaceAll(`${scratch.path}/`, '');
    }
    return expect.fail('it was read');
  };

  it('are read in the order of their names, document by document, with the place of each', async () => {
    const manifests = await read({
      'b.yml': namespace('three'),
      'a.yaml': `# first\n---\n${namespace('one')}---\n---\n${namespace('two')}`,
      'notes.txt': 'not a manifest',
      'folder/c.yaml': namespace('inside'),
    });
    expect(
      manifests.map(({ object, place }) => [
        object.metadata.name,
        place.replace(`${scratch.path}/`, ''),
      ]),
    ).to.deep.equal([
      ['one', 'a.yaml, document 1, line 3'],
      ['two', 'a.yaml, document 3, line 9'],
      ['three', 'b.yml, document 1, line 1'],
    ]);
  });

  it('may be JSON, indented with tabs', async () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    const [manifest] = await read({ 'a.json': JSON.stringify(object, undefined, '\t') });
    expect(manifest?.object).to.deep.equal(object);
  });

  it('have the types of YAML 1.1, as for kubectl', async () => {
    const [manifest] = await read({
      'a.yaml': `${namespace('shop')}values: [yes, off, 0644, "0644", 0x1f, 2024-01-01]\n`,
    });
    expect(manifest?.object).to.have.deep.property('values', [
      true,
      false,
      0o644,
      '0644',
      31,
      '2024-01-01',
    ]);
  });

  it('may use anchors and merge keys', async () => {
    const [manifest] = await read({
      'a.yaml': `${namespace('shop')}base: &base {a: 1, b: 2}\nmade: {<<: *base, b: 3}\n`,
    });
    expect(manifest?.object).to.have.deep.property('made', { a: 1, b: 3 });
  });

  it('may hold lists, whose items are objects of their own', async () => {
    const item = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
    const list = { apiVersion: 'v1', kind: 'List', items: [item('one'), item('two')] };
    const manifests = await read({ 'a.json': JSON.stringify(list) });
    expect(
      manifests.map(({ object, place }) => [
        object.metadata.name,
        place.replace(`${scratch.path}/`, ''),
      ]),
    ).to.deep.equal([
      ['one', 'a.json, document 1, line 1, item 1'],
      ['two', 'a.json, document 1, line 1, item 2'],
    ]);
  });

  it('with a mistake in YAML or JSON are refused with file, document and line', async () => {
    expect(await mistakeIn({ 'a.yaml': `${namespace('shop')}---\nkind: [\n` })).to.match(
      /^a\.yaml, document 2, line \d: [^\n]+$/,
    );
    expect(await mistakeIn({ 'a.yaml': 'kind: A\nkind: B\n' })).to.equal(
      'a.yaml, document 1, line 2: Map keys must be unique',
    );
    expect(await mistakeIn({ 'a.yaml': '{}', 'a.json': '{\n"kind": "A",,\n}' })).to.match(
      /^a\.json, document 1, line 2: /,
    );
  });

  it('that are no objects are refused with what they lack', async () => {
    const mapping = 'a manifest is a mapping with apiVersion, kind and metadata';
    const cases: readonly (readonly [string, string])[] = [
      ['some text', mapping],
      ['[a]', mapping],
      ['kind: Pod\nmetadata: {name: a}', 'apiVersion is missing, empty or not a string'],
      ['apiVersion: v1\nmetadata: {name: a}', 'kind is missing, empty or not a string'],
      ['apiVersion: v1\nkind: Pod', 'metadata.name is missing, empty or not a string'],
      [
        'apiVersion: v1\nkind: Pod\nmetadata: {name: 1}',
        'metadata.name is missing, empty or not a string',
      ],
      [
        'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: [b]}',
        'metadata.namespace is not a string',
      ],
    ];
    for (const [text, reason] of cases) {
      expect(await mistakeIn({ 'a.yaml': text })).to.equal(`a.yaml, document 1, line 1: ${reason}`);
    }
  });

  it('of one object are refused, with both places', async () => {
    const pod = (more: string): string => `{apiVersion: v1, kind: Pod, metadata: {name: a${more}}}`;
    expect(await mistakeIn({ 'a.yaml': pod(''), 'b.yaml': pod(', namespace: default') })).to.equal(
      'b.yaml, document 1, line 1: Pod "a" is in a.yaml, document 1, line 1 already',
    );
  });

  it('with aliases that expand without bound are refused', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level += 1) {
      const references = Array.from({ length: 9 }, () => `*a${level - 1}`);
      lines.push(`a${level}: &a${level} [${references.join(', ')}]`);
    }
    expect(await mistakeIn({ 'a.yaml': `${namespace('a')}${lines.join('\n')}\n` })).to.match(
      /^a\.yaml, document 1, line 1: .*alias/i,
    );
  });

  it('must be there', async () => {
    expect(await mistakeIn({ 'notes.txt': '' })).to.equal(
      `${scratch.path}: no .yaml, .yml or .json file in it holds an object`,
    );
    expect(await mistakeIn({ 'a.yaml/b.txt': '' })).to.match(/^a\.yaml: cannot be read: EISDIR/);
  });
});
