import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { plainProgram } from '../../support/plain-programs.ts';
import { HANG_MS } from '../../support/until.ts';
import { fetchProjects } from './fetch-projects.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MAIN = 'spec/types/definitions/main.ts';

/** A definition whose text is longer by `padding` characters. */
function definition(kind: string, padding: number): string {
  const plural = `${kind.toLowerCase()}s`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: 
  name: ${plural}.example.com
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()}, listKind: ${kind}List }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          description: ${'x'.repeat(padding)}
          type: object
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1 }
                text: { type: string }
`;
}

function manifest(kind: string, spec: string): string {
  return `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: { name: a, namespace: b }\nspec: ${spec}\n`;
}

interface Run {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: string;
}

async function run(...args: readonly string[]): Promise<Run> {
  const program = await plainProgram(MAIN);
  const call = promisify(execFile)(process.execPath, [program, ...args], {
    cwd: ROOT,
    timeout: HANG_MS,
  });
  const { code, stdout, stderr } = await call.then(
    (done) => ({ code: 0, ...done }),
    (failed: { readonly code: number; readonly stdout: string; readonly stderr: string }) => failed,
  );
  return { code, lines: stdout.trim().split('\n'), errors: stderr };
}

describe('npm run check -- types-definitions', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'types-definitions-'));
    writeFileSync(join(folder, 'large.yaml'), definition('Large', 2000));
    writeFileSync(join(folder, 'middle.yaml'), definition('Middle', 1000));
    writeFileSync(join(folder, 'small.yaml'), definition('Small', 10));
    writeFileSync(join(folder, 'fits.yaml'), manifest('Large', '{ size: 1, text: "{{ x }}" }'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('ends with 0 when a manifest of each of the largest definitions fits, and not with a misspelt field', async () => {
    writeFileSync(
      join(folder, 'middle.md'),
      `\`\`\`yaml\n${manifest('Middle', '{ size: 2 }')}\`\`\``,
    );
    const { code, lines, errors } = await run('--largest', '2', folder);
    expect(errors).to.equal('');
    expect(lines.slice(-3, -1).map((line) => line.trim().split(/\s+/).slice(1))).to.deep.equal([
      ['larges.example.com', 'yes', '1', 'refused'],
      ['middles.example.com', 'yes', '1', 'refused'],
    ]);
    expect(lines.at(-1)).to.equal(
      '2 of 2 definitions: types compile, a real manifest fits, and does not with a misspelt field',
    );
    expect(code).to.equal(0);
  });

  it('ends with 1 and names what is no manifest, with the reason, and the definition that has none', async () => {
    const wrong = {
      'surplus.yaml': manifest('Middle', '{ size: 1, colour: red }'),
      'small-size.yaml': manifest('Middle', '{ size: 0 }'),
      'template.yaml': manifest('Middle', '{{ .Values.spec }}'),
      'alias.yaml': manifest('Middle', '*nowhere'),
      'other.yaml': manifest('Other', '*nowhere'),
    };
    for (const [name, text] of Object.entries(wrong)) writeFileSync(join(folder, name), text);
    const { code, lines, errors } = await run('--largest', '2', folder);
    const text = lines.join('\n');
    expect(errors).to.equal('');
    expect(text).to.match(/alias\.yaml:1: no YAML: .*nowhere/);
    expect(text).to.match(/template\.yaml:1: a template\n/);
    expect(text).to.include('2 of 3 manifests are not valid by their definition');
    expect(text).to.match(/surplus\.yaml:1: 400 .*unknown field "spec\.colour"/);
    expect(text).to.match(/small-size\.yaml:1: 422 .*spec\.size.*greater than or equal to 1/);
    expect(text).to.not.include('other.yaml');
    expect(lines.at(-1)).to.match(
      /^1 of 2 definitions: .*; without a manifest that fits: middles\.example\.com$/,
    );
    expect(code).to.equal(1);
  });

  it('says what to do when there is no definition', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const { code, lines } = await run(empty);
    expect([code, lines.at(-1)]).to.deep.equal([
      1,
      'no definition was found: name a folder with CustomResourceDefinitions, or --fetch',
    ]);
    expect((await run()).code).to.equal(2);
    expect((await run('--largest', 'many', folder)).code).to.equal(2);
  });

  it('fetches the YAML, Markdown and Go tests of projects, also of a branch, and names those that cannot be had', async () => {
    const source = join(folder, 'source', 'owner', 'name');
    mkdirSync(source, { recursive: true });
    for (const file of ['a.yaml', 'b.md', 'c.go', 'd_test.go'])
      writeFileSync(join(source, file), 'x: 1\n');
    const git = async (...args: readonly string[]): Promise<void> => {
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      await promisify(execFile)('git', ['-C', source, ...who, ...args]);
    };
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-q', '-m', 'first');
    await git('checkout', '-q', '-b', 'feature/next');
    await git('mv', 'a.yaml', 'next.yaml');
    await git('commit', '-q', '-m', 'second');
    await git('checkout', '-q', '-');
    const target = join(folder, 'fetched');
    const from = `file://${folder}/source/{project}`;
    const projects = ['owner/name', 'owner/name@feature/next', 'owner/none'];
    const failed = await fetchProjects(target, projects, from);
    expect(failed.map(({ place }) => place)).to.deep.equal(['owner/none']);
    expect(failed[0]?.reason).to.be.a('string').and.not.include('\n');
    const { stdout } = await promisify(execFile)('ls', ['-R', target]);
    expect(stdout).to.include('owner+name').and.include('a.yaml').and.include('b.md');
    expect(stdout).to.include('d_test.go');
    expect(stdout).to.match(/owner\+name@feature\+next:\nb\.md\nd_test\.go\nnext\.yaml\n/);
    expect(stdout).to.not.include('c.go').and.not.include('none').and.not.include('.part');
    expect(await fetchProjects(target, ['owner/name'], 'file:///nowhere')).to.deep.equal([]);
  });
});
