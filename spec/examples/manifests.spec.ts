import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import type { Outcome } from './support/read-manifests.ts';
import { runExample } from './support/run-example.ts';

const SHIPPED = resolve(import.meta.dirname, '../../examples/manifests');

/** Nine references to nine references to …, ten levels deep. */
function aliasBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 10; level += 1) {
    const references = Array.from({ length: 9 }, () => `*a${level - 1}`);
    lines.push(`a${level}: &a${level} [${references.join(', ')}]`);
  }
  return `apiVersion: v1\nkind: Bomb\nmetadata: {name: a}\n${lines.join('\n')}\n`;
}

const namespace = (name: string): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n`;

/** Files by path below a scratch folder; the first part of a path is the folder that is read. */
const FILES: Readonly<Record<string, string>> = {
  'documents/shop.yaml': `# a comment\n---\n${namespace('a')}---\n---\n${namespace('b')}`,
  'order/20.yaml': namespace('second'),
  'order/10.yml': namespace('first'),
  'order/notes.txt': ': no yaml [',
  'syntax/shop.yaml': `${namespace('a')}---\napiVersion: v1\nkind: [oops\n`,
  'twice/shop.yaml': 'apiVersion: v1\nkind: A\nkind: B\nmetadata: {name: a}',
  'text/shop.yaml': 'just text',
  'list/shop.yaml': '- a list',
  'no-version/shop.yaml': `${namespace('a')}---\nkind: Pod\nmetadata: {name: a}`,
  'no-kind/shop.yaml': 'apiVersion: v1\nmetadata: {name: a}',
  'no-metadata/shop.yaml': 'apiVersion: v1\nkind: Pod',
  'number/shop.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: 7}',
  'scalar-metadata/shop.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: text',
  'bomb/shop.yaml': aliasBomb(),
  'twins/a.yaml': namespace('shop'),
  'twins/b.yaml': namespace('shop'),
  'empty/notes.txt': 'nothing here',
  'unreadable/folder.yaml/notes.txt': '',
};

describe('manifests', () => {
  let scratch: string;
  let outcomes: Map<string, Outcome>;

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'listwatch-manifests-'));
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true });
      writeFileSync(join(scratch, path), text);
    }
    const folders = [...new Set(Object.keys(FILES).map((path) => path.split('/')[0]!)), 'gone'];
    const paths = [...folders.map((folder) => join(scratch, folder)), SHIPPED];
    const { stdout, stderr } = await runExample('spec/examples/support/read-manifests.ts', paths);
    expect(stderr).to.equal('');
    const results = JSON.parse(stdout) as Outcome[];
    outcomes = new Map([...folders, 'shipped'].map((folder, index) => [folder, results[index]!]));
  });

  after(() => {
    rmSync(scratch, { recursive: true });
  });

  function objectsOf(folder: string): readonly { kind: string; name: string; place: string }[] {
    const outcome = outcomes.get(folder)!;
    if ('objects' in outcome) return outcome.objects;
    throw new Error(outcome.message);
  }

  /** The message, without the path of the scratch folder. */
  function mistakeIn(folder: string): string {
    const outcome = outcomes.get(folder)!;
    expect(outcome).to.have.property('code', 'MANIFEST_INVALID');
    return (outcome as { message: string }).message.replaceAll(`${scratch}/`, '');
  }

  it('of the shop are at least 60 objects of at least 6 kinds, namespaces first', () => {
    const shop = objectsOf('shipped');
    expect(shop.length).to.be.at.least(60);
    expect(new Set(shop.map(({ kind }) => kind)).size).to.be.at.least(6);
    expect(shop[0]?.kind).to.equal('Namespace');
  });

  it('are read document by document, empty ones passed over', () => {
    const places = objectsOf('documents').map(({ place }) => place.slice(scratch.length + 1));
    expect(places).to.deep.equal([
      'documents/shop.yaml, document 1, line 3',
      'documents/shop.yaml, document 3, line 9',
    ]);
  });

  it('are read in the order of the file names, other files left alone', () => {
    expect(objectsOf('order').map(({ name }) => name)).to.deep.equal(['first', 'second']);
  });

  it('with a mistake in the YAML are refused in one line with file, document and line', () => {
    expect(mistakeIn('syntax')).to.match(/^syntax\/shop\.yaml, document 2, line [78]: \S[^\n]*$/);
    expect(mistakeIn('twice')).to.equal(
      'twice/shop.yaml, document 1, line 3: Map keys must be unique',
    );
  });

  it('that are no objects are refused with what they lack', () => {
    const noMapping = 'a manifest is a mapping with apiVersion, kind and metadata';
    const rows: readonly (readonly [folder: string, place: string, reason: string])[] = [
      ['text', 'document 1, line 1', noMapping],
      ['list', 'document 1, line 1', noMapping],
      ['no-version', 'document 2, line 6', 'apiVersion is missing, empty or not a string'],
      ['no-kind', 'document 1, line 1', 'kind is missing, empty or not a string'],
      ['no-metadata', 'document 1, line 1', 'metadata.name is missing, empty or not a string'],
      ['number', 'document 1, line 1', 'metadata.name is missing, empty or not a string'],
      ['scalar-metadata', 'document 1, line 1', 'metadata.name is missing, empty or not a string'],
    ];
    for (const [folder, place, reason] of rows) {
      expect(mistakeIn(folder)).to.equal(`${folder}/shop.yaml, ${place}: ${reason}`);
    }
  });

  it('with aliases of aliases are refused before they blow up', () => {
    expect(mistakeIn('bomb')).to.match(/^bomb\/shop\.yaml, document 1, line 1: .*alias/i);
  });

  it('must not describe one object twice', () => {
    expect(mistakeIn('twins')).to.equal(
      'twins/b.yaml, document 1, line 1: Namespace "shop" stands in twins/a.yaml, document 1, line 1 already',
    );
  });

  it('must be there and readable', () => {
    expect(mistakeIn('empty')).to.equal('empty: no *.yaml file in it holds an object');
    expect(mistakeIn('gone')).to.match(/^gone: cannot be read: ENOENT/);
    expect(mistakeIn('unreadable')).to.match(/^unreadable: cannot be read: EISDIR/);
  });
});
