import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { Draw } from '../../compare/draw.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { compilePrograms } from '../../types/definitions/compile-programs.ts';
import { misspellField } from '../../types/definitions/misspell-field.ts';
import { capturedHost } from '../support/captured-host.ts';
import { definitionWith } from './support/definition-with.ts';

const SUPPORT = join(import.meta.dirname, 'support');
const WIDGET = join(SUPPORT, 'widget.yaml');

const FITS = `{
  metadata: { name: 'a' },
  spec: {
    size: 1, ratio: null, mode: "it's", level: -2, port: '80', modes: ['a'], maybe: [null], labels: { any: 'x' },
    parts: [{ name: 'p' }], byName: { b: { x: 'x' } }, anything: 1, open: { known: 'x', more: 1 }, free: { a: 1 }, nothing: {},
    template: { apiVersion: 'v1', kind: 'Pod', spec: {} }, 'a-b.c/d': 'x',
  },
}`;

const PROGRAM = `import type { Client, ResourceClient } from 'listwatch';
import type { Widget, WidgetV1beta1 } from './widgets.ts';
declare const client: Client;
export const widgets: ResourceClient<Widget> = client.resource('example.com/v1', 'widgets');
export const old: ResourceClient<WidgetV1beta1> = client.resource('example.com/v1beta1', 'widgets');
export const mode: 'Fast' | "it's" | 'a "b"' = (await widgets.get('a')).spec.mode;
export const fits: Widget = ${FITS};
`;

/** Each is wrong in one way; the compiler has to refuse every one. */
const WRONG: Readonly<Record<string, string>> = {
  'a misspelt field': FITS.replace('labels', 'lables'),
  'a misspelt field of an item': FITS.replace("[{ name: 'p' }]", "[{ name: 'p', nmae: 'p' }]"),
  'a required field is missing': FITS.replace('size: 1, ', ''),
  'a value that the enum does not have': FITS.replace(`"it's"`, `'Slow'`),
  'null in a field that is not nullable': FITS.replace('size: 1', 'size: null'),
  'a boolean as int-or-string': FITS.replace(`port: '80'`, 'port: true'),
  'a field of an object without fields': FITS.replace('nothing: {}', 'nothing: { a: 1 }'),
  'a value of another type in a map': FITS.replace(`any: 'x'`, 'any: 1'),
  'an embedded resource without a kind': FITS.replace(`, kind: 'Pod'`, ''),
};

describe('listwatch types', () => {
  let directory: ScratchDirectory;

  beforeEach(async () => {
    directory = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await directory[Symbol.asyncDispose]();
  });

  async function run(parameters: readonly string[], stdin: string = ''): Promise<Ran> {
    const host = capturedHost({
      homeDir: directory.path,
      stdin: () => Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    });
    const code = await runCommandLine(['types', ...parameters], host);
    const err = host.stderr.text.replaceAll(directory.path, '~');
    return { code, out: host.stdout.text, err };
  }

  it('has a form for every construct of a schema, in the order of the source, the same at every run', async () => {
    const expected = await readFile(join(SUPPORT, 'widget-types.txt'), 'utf8');
    expect(await run([WIDGET])).to.deep.equal({ code: 0, out: expected, err: '' });
    expect((await run(['-'], await readFile(WIDGET, 'utf8'))).out).to.equal(expected);
  });

  it('gives types that compile under strict, and refuse objects that do not fit', async () => {
    const { out } = await run([WIDGET]);
    const wrong = Object.entries(WRONG).map(([why, text], index) => {
      expect(text, why).to.not.equal(FITS);
      const value = text.replaceAll('\n', ' ');
      return `// @ts-expect-error ${why}\nexport const wrong${index}: Widget = ${value};\n`;
    });
    const programs = {
      'widgets.ts': out,
      'program.ts': `${PROGRAM}${wrong.join('')}// @ts-expect-error a misspelt plural\nclient.resource('example.com/v1', 'wigdets');\n`,
    };
    expect(await compilePrograms(directory.path, programs)).to.deep.equal([]);
  });

  it('suffixes a name that is taken with the version, and then with a number', async () => {
    const one =
      '{ type: object, properties: { a: { type: object, properties: { b: { type: string } } } } }';
    const files = ['one', 'two', 'three'].map((plural) => definitionWith(one, plural));
    const { out } = await run(['-'], files.join('---\n'));
    expect([...out.matchAll(/export interface (\w+)/g)].map(([, name]) => name)).to.deep.equal(
      ['', 'V1', 'V12'].flatMap((end) => ['', 'Spec', 'SpecA'].map((of) => `Thing${end}${of}`)),
    );
    expect(out).to.include(`'example.com/v1': { one: Thing; two: ThingV1; three: ThingV12 };`);
  });

  it('writes a file in one step, leaves one that is the same, and replaces only its own', async () => {
    const out = join(directory.path, 'types.ts');
    expect(await run([WIDGET, '--out', out])).to.deep.equal({ code: 0, out: '', err: '' });
    const expected = await readFile(join(SUPPORT, 'widget-types.txt'), 'utf8');
    expect(await directory.read('types.ts')).to.equal(expected);
    expect((await run([WIDGET, '--out', out, '--check'])).code).to.equal(0);
    expect((await run(['-', '--out', out], definitionWith('{ $ref: x }'))).code).to.equal(1);
    expect(await directory.read('types.ts')).to.equal(expected);
    expect((await run(['-', '--out', out], definitionWith('{ type: string }'))).code).to.equal(0);
    expect(await directory.read('types.ts')).to.include('spec?: string');
    expect(await readdir(directory.path)).to.deep.equal(['types.ts']);
    const own = await directory.write('program.ts', 'export {};\n');
    expect((await run([WIDGET, '--out', own])).err).to.equal(
      'listwatch: ~/program.ts is not a generated file; name another --out (TYPES_FILE)\n',
    );
    expect(await directory.read('program.ts')).to.equal('export {};\n');
    const nowhere = await run([WIDGET, '--out', join(directory.path, 'none', 'types.ts')]);
    expect(nowhere.err).to.equal(
      'listwatch: ~/none/types.ts cannot be written: there is no folder ~/none; create it, or name another --out (TYPES_FILE)\n',
    );
    // A file where a folder should be.
    const under = await run([WIDGET, '--out', join(own, 'types.ts')]);
    expect(under.err).to.match(
      /^listwatch: .* cannot be (?:read|written): ENOTDIR.*; name another --out \(TYPES_FILE\)\n$/,
    );
  });

  it('with --check fails when the file is missing or differs, and writes nothing', async () => {
    const out = join(directory.path, 'types.ts');
    const check = [WIDGET, '--out', out, '--check'];
    expect(await run(check)).to.deep.equal({
      code: 1,
      out: '',
      err: 'listwatch: ~/types.ts does not exist; run this without --check (TYPES_OUTDATED)\n',
    });
    await run([WIDGET, '--out', out]);
    const changed = (await directory.read('types.ts')).replace('size: number', 'size: string');
    await directory.write('types.ts', changed);
    expect((await run(check)).err).to.equal(
      'listwatch: ~/types.ts differs from the definitions at line 33; run this without --check (TYPES_OUTDATED)\n',
    );
    expect(await directory.read('types.ts')).to.equal(changed);
  });

  it('reads the definitions of a cluster, of one group if asked, and names the rule that a user lacks', async () => {
    await using server = new ApiServer();
    await server.listen();
    const kubeconfig = join(directory.path, 'kubeconfig');
    await server.writeKubeconfig(kubeconfig);
    const cluster = ['--from-cluster', '--kubeconfig', kubeconfig];
    expect((await run(cluster)).err).to.equal(
      'listwatch: the cluster has no CustomResourceDefinition; name another --context, or files (NOT_FOUND)\n',
    );
    await using client = await connect(server.clientConfig());
    // The server refuses a schema without a type.
    const manifests = (await readFile(WIDGET, 'utf8')).replace(/ +untyped: .*\n/, '');
    await client.applyAll(manifests, { fieldManager: 'spec' });
    const { code, out, err } = await run(cluster);
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.include('widgets: Widget }').and.include('mode: ');
    expect((await run([...cluster, '--group', 'example.com'])).out).to.equal(out);
    expect((await run([...cluster, '--group', 'exmaple.com'])).err).to.equal(
      'listwatch: no definition is of the group exmaple.com; there is example.com (NOT_FOUND)\n',
    );
    const text = await readFile(kubeconfig, 'utf8');
    const other = await directory.write('other', text.replace(/user:\n {6}token: .*/, 'user: {}'));
    const refused = await run(['--from-cluster', '--kubeconfig', other]);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.match(
      /^listwatch: list customresourcedefinitions .*; give a token .* \(FORBIDDEN\)\n$/,
    );
  });

  const BAD: readonly (readonly [string, string, string])[] = [
    [
      'no definition',
      'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n',
      'standard input, document 1, line 1: it holds Pod of v1; name a file with a CustomResourceDefinition',
    ],
    [
      'nothing',
      '',
      'standard input: it holds nothing; name a file with a CustomResourceDefinition',
    ],
    [
      'no object',
      'a: 1\n',
      'standard input, document 1, line 1: apiVersion is missing, empty or not a string',
    ],
    [
      'an old definition',
      definitionWith('{}').replace('s.io/v1', 's.io/v1beta1'),
      'standard input, document 1, line 1: apiextensions.k8s.io/v1beta1 is not read; convert it to apiextensions.k8s.io/v1',
    ],
    [
      'no kind',
      definitionWith('{}').replace('kind: Thing, ', ''),
      'standard input, document 1, line 1: spec.names.kind is missing, empty or not a string; give it a name',
    ],
    [
      'no served version',
      definitionWith('{}').replace('served: true', 'served: false'),
      'standard input, document 1, line 1: no version is served; give spec.versions one with served: true',
    ],
    [
      'a $ref',
      definitionWith("{ $ref: '#/definitions/Thing' }"),
      'standard input, document 1, line 1: v1, .spec: $ref is not allowed in a definition; put the schema that it names there',
    ],
    [
      'an unknown type',
      definitionWith('{ type: array, items: { type: strnig } }'),
      'standard input, document 1, line 1: v1, .spec[]: type "strnig" is none of array, boolean, integer, number, object, string',
    ],
    [
      'a schema that is no mapping',
      definitionWith('{ type: object, properties: { a: 1 } }'),
      'standard input, document 1, line 1: v1, .spec.a: a schema is a mapping; give it a type',
    ],
    [
      'the same resource twice',
      `${definitionWith('{}')}---\n${definitionWith('{}')}`,
      'standard input, document 2, line 9: things of example.com/v1 is defined twice; leave one out',
    ],
    [
      'a schema that is too deep',
      definitionWith('{ type: array, items: '.repeat(70) + '{}' + ' }'.repeat(70)),
      `standard input, document 1, line 1: v1, .spec${'[]'.repeat(64)}: nested more than 64 deep; an anchor may contain itself`,
    ],
  ];
  for (const [what, text, message] of BAD) {
    it(`refuses ${what} in one line with a code`, async () => {
      const err = `listwatch: ${message} (MANIFEST_INVALID)\n`;
      expect(await run(['-'], text)).to.deep.equal({ code: 1, out: '', err });
    });
  }

  it('ends for a schema whose anchor contains itself, and for anchors that multiply fields', async () => {
    const itself = definitionWith('&a { type: object, properties: { a: *a } }');
    expect((await run(['-'], itself)).err).to.match(
      /^listwatch: standard input, document 1.*\(MANIFEST_INVALID\)\n$/,
    );
    const levels = ['{ type: object, properties: { x: { type: string } } }'];
    const twenty = (anchor: string): string =>
      Array.from({ length: 20 }, (_, at) => `p${at}: *${anchor}`).join(', ');
    const anchors = levels.concat(
      ['a', 'b', 'c', 'd'].map((anchor) => `{ type: object, properties: { ${twenty(anchor)} } }`),
    );
    const names = ['a', 'b', 'c', 'd', 'e'];
    const fields = anchors.map((schema, at) => `f${at}: &${names[at]} ${schema}`).join(', ');
    const many = await run(['-'], definitionWith(`{ type: object, properties: { ${fields} } }`));
    expect([many.code, many.out]).to.deep.equal([1, '']);
    expect(many.err).to.match(/^listwatch: standard input, document 1.*\(MANIFEST_INVALID\)\n$/);
  });

  it('refuses bad YAML, a file that is missing and a folder in one line with the remedy', async () => {
    const bad = await directory.write('bad.yaml', 'a: [1\nb: 2\n');
    expect((await run([bad])).err).to.match(
      /^listwatch: ~\/bad\.yaml, document 1, line \d: .*\(MANIFEST_INVALID\)\n$/,
    );
    expect((await run([join(directory.path, 'none.yaml')])).err).to.equal(
      'listwatch: ~/none.yaml: there is no such file; correct the path (MANIFEST_INVALID)\n',
    );
    await mkdir(join(directory.path, 'folder'));
    expect((await run([join(directory.path, 'folder')])).err).to.equal(
      'listwatch: ~/folder: is a folder; name the files in it (MANIFEST_INVALID)\n',
    );
  });

  it('runs as the guide says: writes, and then finds nothing to change', async () => {
    const guide = await readFile(
      join(import.meta.dirname, '../../../docs/guides/objects.md'),
      'utf8',
    );
    const lines = [...guide.matchAll(/^npx listwatch types (.*)$/gm)].map(
      ([, line]) => line as string,
    );
    expect(lines).to.have.length(2);
    await directory.write('crds.yaml', await readFile(WIDGET, 'utf8'));
    await mkdir(join(directory.path, 'src'));
    for (const line of lines) {
      const words = line
        .split(' ')
        .map((word) => (word.includes('.') ? join(directory.path, word) : word));
      expect(await run(words), line).to.deep.equal({ code: 0, out: '', err: '' });
    }
    expect(await directory.read('src/custom-resources.ts')).to.include('widgets: Widget');
  });

  it('refuses arguments that cannot be used, and is in the help', async () => {
    const usage: readonly (readonly [readonly string[], string])[] = [
      [
        [],
        'types takes files of definitions, --from-cluster, or --kubernetes VERSION: one of the three',
      ],
      [
        [WIDGET, '--from-cluster'],
        'types takes files of definitions, --from-cluster, or --kubernetes VERSION: one of the three',
      ],
      [[WIDGET, '--kubeconfig', 'x'], '--kubeconfig needs --from-cluster'],
      [['--kubernetes', '1.20'], '--kubernetes is one of 1.35, 1.36, 1.37, not "1.20"'],
      [
        ['--kubernetes', '1.36', '--group', 'apps'],
        '--group is for definitions; leave it out with --kubernetes',
      ],
      [[WIDGET, '--check'], '--check needs --out FILE, the file to compare'],
      [[WIDGET, '--chekc'], 'unknown option --chekc; did you mean --check?'],
    ];
    for (const [parameters, message] of usage) {
      expect(await run(parameters)).to.deep.equal({
        code: 2,
        out: '',
        err: `listwatch: ${message}\n`,
      });
    }
    const host = capturedHost();
    await runCommandLine(['--help'], host);
    expect(host.stdout.text).to.match(/^ {2}types +writes TypeScript interfaces/m);
    expect((await run(['--help'])).out).to.include('Usage: listwatch types CRD.yaml...');
  });
});

describe('misspelt fields', () => {
  it('are those of the schema, and never where it preserves unknown fields', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true };
    const schema = {
      properties: { a: {}, b: { ...open, properties: { c: {} } } },
      required: ['a'],
    };
    const draw = new Draw('1');
    expect(misspellField(draw, schema, { a: 1, b: { c: 1 } })).to.deep.equal({
      a: 1,
      bX: { c: 1 },
    });
    expect(misspellField(draw, schema, { a: 1 })).to.deep.equal({ aX: 1 });
    expect(misspellField(draw, {}, {})).to.deep.equal({ misspelt: 1 });
    expect(misspellField(draw, open, {})).to.equal(undefined);
  });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
