import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import type { CommandHost } from '../../../lib/cli/contract/command.ts';
import { projectFiles } from '../../../lib/cli/new/new-command.ts';
import { projectNames } from '../../../lib/cli/new/project-names.ts';
import { parseManifests } from '../../../lib/meta/manifests/parse-manifests.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { capturedHost } from '../support/captured-host.ts';

describe('listwatch new', () => {
  let directory: ScratchDirectory;

  beforeEach(async () => {
    directory = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await directory[Symbol.asyncDispose]();
  });

  async function run(
    parameters: readonly string[],
    options: Partial<CommandHost> = {},
  ): Promise<{ code: number; out: string; err: string }> {
    const host = capturedHost({ homeDir: directory.path, ...options });
    const code = await runCommandLine(['new', ...parameters], host);
    const shown = (text: string): string => text.replaceAll(directory.path, '~');
    return { code, out: shown(host.stdout.text), err: shown(host.stderr.text) };
  }

  const at = (name: string): string => join(directory.path, name);

  it('writes a project, and says what comes next', async () => {
    const { code, out, err } = await run(['shop', '--dir', at('shop'), '--no-lock']);
    expect({ code, out, err }).to.deep.equal({
      code: 0,
      out: '17 files in ~/shop. Next:\n  cd ~/shop\n  npm install\n  npm test\n',
      err: '',
    });
    const files = await projectFiles(projectNames('shop'), '^1.2.3');
    for (const [path, text] of files)
      expect(await readFile(at(`shop/${path}`), 'utf8')).to.equal(text);
    const manifest = JSON.parse(files.get('package.json') ?? '') as { dependencies: object };
    expect(manifest.dependencies).to.deep.equal({ listwatch: '^1.2.3' });
  });

  it('gives every manifest a name that Kubernetes takes, and rules without a wildcard', async () => {
    const names = projectNames('glossary');
    expect(names).to.include({ kind: 'Glossary', plural: 'glossaries', singular: 'glossary' });
    const files = await projectFiles(names, '^1.0.0');
    const kinds: string[] = [];
    for (const [path, text] of files) {
      if (!/^(?:manifests|example)\//.test(path)) continue;
      for (const { object } of await parseManifests(text, path)) {
        kinds.push(`${object.kind} ${object.metadata.name}`);
        expect(JSON.stringify(object)).to.not.include('"*"');
      }
    }
    expect(kinds.toSorted()).to.deep.equal([
      'ClusterRole glossary',
      'ClusterRoleBinding glossary',
      'CustomResourceDefinition glossaries.example.com',
      'Deployment glossary',
      'Glossary hello',
      'Namespace glossary',
      'ServiceAccount glossary',
    ]);
  });

  it('has npm write package-lock.json, and says why it did not', async () => {
    const npm = async (script: string): Promise<Partial<CommandHost>> => {
      const path = await directory.write('bin/npm', `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o755);
      return { env: { PATH: `${at('bin')}:${process.env['PATH']}`, npm_config_foreign: 'x' } };
    };
    const good = await npm('env | grep -c npm_config_foreign; echo "$@" > package-lock.json');
    expect(await run(['one', '--dir', at('one')], good)).to.include({ code: 0, err: '' });
    expect(await readFile(at('one/package-lock.json'), 'utf8')).to.equal(
      'install --package-lock-only --ignore-scripts --no-audit --no-fund\n',
    );
    const bad = await npm(
      'echo "npm error code E404" >&2; echo "npm error 404 Not Found" >&2; exit 1',
    );
    expect(await run(['two', '--dir', at('two')], bad)).to.deep.equal({
      code: 1,
      out: '17 files in ~/two. Next:\n  cd ~/two\n  npm install\n  npm test\n',
      err: 'listwatch: there is no package-lock.json yet, npm install writes it: npm ended with 1: 404 Not Found\n',
    });
  });

  it('writes into an empty folder, also into a new repository, and into no other', async () => {
    await mkdir(at('repository/.git'), { recursive: true });
    expect((await run(['shop', '--dir', at('repository'), '--no-lock'])).code).to.equal(0);
    expect(await readdir(at('repository'))).to.include.members(['.git', 'package.json']);
    expect(await run(['shop', '--dir', at('repository'), '--no-lock'])).to.deep.equal({
      code: 2,
      out: '',
      err: 'listwatch: the folder ~/repository exists and has .dockerignore; name another, or an empty one with --dir\n',
    });
    await directory.write('file', '');
    expect(await run(['shop', '--dir', at('file')])).to.deep.equal({
      code: 2,
      out: '',
      err: "listwatch: ~/file is no folder that can be written: ENOTDIR: not a directory, scandir '~/file'; name another --dir\n",
    });
  });

  for (const [what, parameters, line] of [
    ['no name', [], 'new takes the name of a project: listwatch new shop'],
    ['two names', ['a', 'b'], 'new takes the name of a project: listwatch new shop, not also "b"'],
    [
      'a name that is none, with one that is near',
      ['CoffeeShop_2'],
      'the name must be lower-case words of letters and digits with "-" between, at most 50, such as coffee-shop-2, not "CoffeeShop_2"',
    ],
    [
      'a path',
      ['../shop'],
      'the name must be lower-case words of letters and digits with "-" between, at most 50, such as shop, not "../shop"',
    ],
    [
      'the name of a package that it needs',
      ['listwatch'],
      'listwatch is the name of a package that the project needs; name another',
    ],
    [
      'a group that is no domain',
      ['shop', '--group', 'shop'],
      '--group must be a domain such as example.com, not "shop"',
    ],
    [
      'a group of Kubernetes',
      ['shop', '--group', 'shop.k8s.io'],
      '--group shop.k8s.io is kept for Kubernetes; take a domain of your own',
    ],
    [
      'a kind that is none',
      ['coffee-shop', '--kind', 'coffee shop'],
      '--kind must be a word such as CoffeeShop, at most 50 letters, not "coffee shop"',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect(await run(parameters)).to.deep.equal({
        code: 2,
        out: '',
        err: `listwatch: ${line}\n`,
      });
    });
  }
});
