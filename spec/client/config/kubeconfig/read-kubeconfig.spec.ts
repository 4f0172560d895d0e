import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { KubeconfigSource } from '../../../../lib/client/config/kubeconfig/kubeconfig-source.ts';
import type { Kubeconfig } from '../../../../lib/client/config/kubeconfig/kubeconfig.ts';
import {
  kubeconfigPaths,
  readKubeconfigSource,
} from '../../../../lib/client/config/kubeconfig/read-kubeconfig.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { KubeConfig } from '../support/client-node-config.ts';
import { kubeconfigText } from '../support/kubeconfig-text.ts';

const read = async (source: KubeconfigSource): Promise<Kubeconfig> =>
  await readKubeconfigSource(source, realRuntime);

describe('readKubeconfigSource', () => {
  let scratch: ScratchDirectory;
  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const text = kubeconfigText();
  const object = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'kind',
    clusters: [{ name: 'one', cluster: { server: 'https://10.0.0.1:6443' } }],
  };
  const data: [title: string, source: KubeconfigSource, name: string][] = [
    ['a text', { text }, 'the option "kubeconfig"'],
    ['a text with a byte order mark', { text: `\ufeff${text}` }, 'the option "kubeconfig"'],
    ['bytes', { text: Buffer.from(text) }, 'the option "kubeconfig"'],
    ['JSON', { text: JSON.stringify(object) }, 'the option "kubeconfig"'],
    ['a parsed kubeconfig', object, 'the option "kubeconfig"'],
    [
      'a KubeConfig',
      new KubeConfig().loadFromOptions({
        clusters: [{ name: 'one', server: 'https://10.0.0.1:6443' }],
        currentContext: 'kind',
      }),
      'the KubeConfig object in the option "kubeconfig"',
    ],
  ];
  for (const [title, source, name] of data) {
    it(`takes ${title} as data`, async () => {
      const config = await read(source);
      expect(config.currentContext?.text()).to.equal('kind');
      const cluster = config.clusters.get('one')?.field('cluster');
      expect(cluster?.field('server').text()).to.equal('https://10.0.0.1:6443');
      expect(cluster?.origin.isData).to.equal(true);
      expect(config.files).to.deep.equal([name]);
    });
  }

  it('names the line in a text', async () => {
    const error = await failureOf(read({ text: 'a: 1\nkind: Pod\n' }));
    expect(error.message).to.match(/^the option "kubeconfig":2: kind: expected Config/);
  });

  it('reads a file by its path and by its URL', async () => {
    const path = await scratch.write('my config', text);
    for (const source of [path, pathToFileURL(path)]) {
      const config = await read(source);
      expect(config.files).to.deep.equal([path]);
      const origin = config.clusters.get('one')?.origin;
      expect([origin?.directory, origin?.isData]).to.deep.equal([scratch.path, false]);
    }
  });

  it('reads a file that Windows PowerShell wrote', async () => {
    const path = `${scratch.path}/config`;
    await writeFile(path, Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'utf16le'));
    expect((await read(path)).clusters.has('one')).to.equal(true);
  });

  it('finds an entry among a hundred thousand that are passed as data', async () => {
    const contexts = Array.from({ length: 100_000 }, (_, index) => ({
      name: `c${index}`,
      context: { cluster: 'one', user: `u${index}` },
    }));
    const config = await read({ ...object, contexts });
    const context = config.contexts.get('c99999')?.field('context');
    expect(context?.field('user').text()).to.equal('u99999');
  });

  it('refuses a file of a hundred megabytes without reading it', async () => {
    const path = await scratch.write('config', '');
    await truncate(path, 100_000_000);
    const error = await failureOf(read(path));
    expect(error.message).to.equal(`${path}: it is larger than 16777216 bytes; name another file`);
  });

  it('refuses a directory', async () => {
    const path = `${scratch.path}/folder`;
    await mkdir(path);
    expect((await failureOf(read(path))).message).to.equal(
      `${path}: it is a directory; name a file`,
    );
  });

  const OPTION = 'the option "kubeconfig"';
  const cases: [title: string, source: unknown, expected: string][] = [
    ['an empty path', '', `${OPTION}: it is empty; give a path, or leave it out`],
    ['a path with NUL', 'a\0b', `${OPTION}: the path has a NUL character`],
    [
      'the text of a kubeconfig for a path',
      'apiVersion: v1\nusers: [canary]',
      `${OPTION}: it is no path; to pass the text of a kubeconfig, give kubeconfig: { text }`,
    ],
    ['JSON for a path', '{"users":["canary"]}', `${OPTION}: it is no path`],
    [
      'the address of a page for a path',
      'https://me:canary@a/config',
      `${OPTION}: it is a URL; give a path, or new URL("file://…")`,
    ],
    [
      'a URL that is no file',
      new URL('https://me:canary@a/config'),
      `${OPTION}: it is a URL that is not a file; download it and give { text }`,
    ],
    ['a number', 7, `${OPTION}: expected the path of a file, a file: URL, { text }`],
    ['null', null, `${OPTION}: expected the path of a file`],
    ['a text that is a number', { text: 7 }, `${OPTION}: "text" must be a string or bytes`],
    [
      'a text of sixteen megabytes',
      { text: 'x'.repeat(16 * 1024 * 1024 + 1) },
      `${OPTION}: "text" is larger than 16777216 bytes`,
    ],
  ];
  for (const [title, source, expected] of cases) {
    it(`refuses ${title}`, async () => {
      const error = await failureOf(read(source as KubeconfigSource));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message.startsWith(expected), error.message).to.equal(true);
      expect(error.message).not.to.contain('canary');
    });
  }

  const wrong: [title: string, source: KubeconfigSource, expected: string][] = [
    ['a list', [] as KubeconfigSource, `${OPTION}: expected a mapping of fields, found a list`],
    ['a Map', new Map() as KubeconfigSource, `${OPTION}: expected a mapping of fields`],
    [
      'bytes that are not in { text }',
      Buffer.from('x') as KubeconfigSource,
      `${OPTION}: expected a mapping of fields, found bytes`,
    ],
    [
      'a list of texts',
      { users: ['me'] },
      `${OPTION}: users[0]: expected a mapping of fields, found a text`,
    ],
    ['a function', { users: () => [] }, `${OPTION}: users: expected a list, found a function`],
    ['a Secret', { kind: 'Secret', apiVersion: 'v1' }, `${OPTION}: kind: expected Config`],
    [
      'a KubeConfig with a wrong entry',
      new KubeConfig().loadFromOptions({ users: [{ token: 'canary' }] }),
      `the KubeConfig object in ${OPTION}: users[0].name: it is missing`,
    ],
  ];
  for (const [title, source, expected] of wrong) {
    it(`refuses ${title}, with its place`, async () => {
      const error = await failureOf(read(source));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message.startsWith(expected), error.message).to.equal(true);
      expect(error.message).not.to.contain('canary');
    });
  }
});

describe('kubeconfigPaths', () => {
  const cases: [variable: string | undefined, paths: readonly string[]][] = [
    [undefined, ['/home/me/.kube/config']],
    ['', ['/home/me/.kube/config']],
    ['/a', ['/a']],
    ['/a:/b', ['/a', '/b']],
    ['/a:/b:/a', ['/a', '/b']],
    [':/a::/b:', ['/a', '/b']],
    [':', []],
    ['a:./a', ['a', './a']],
    [' /a', [' /a']],
    ['~/a', ['~/a']],
  ];
  for (const [variable, paths] of cases) {
    it(`lists ${JSON.stringify(paths)} for KUBECONFIG ${JSON.stringify(variable)}`, () => {
      const found = kubeconfigPaths({ KUBECONFIG: variable }, '/home/me');
      expect(found.paths).to.deep.equal(paths);
      expect(found.variable).to.equal(variable ? 'KUBECONFIG' : undefined);
    });
  }
});
