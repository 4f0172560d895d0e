/**
 * `npm run check -- new-project`: a project of `listwatch new`, made and tested in an empty folder with the packed tarball. With `--kubeconfig` or
 * `--binaries` its manifests are applied to a real server, on which its program works with the rights of its account, and no others.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import type { Client } from '../../lib/client/rest/client.ts';
import { parseManifests } from '../../lib/meta/manifests/parse-manifests.ts';
import { startRealApiServer } from '../../lib/testing/real-server/real-api-server.ts';
import { ROOT } from '../package/manifest.ts';
import { until } from '../support/until.ts';
import { exitWithoutRegistry, npm, pack, run } from '../package/packed-package.ts';

const USAGE = `npm run check -- new-project [options]

  (none)             makes a project in an empty folder with the packed tarball: npm ci, npm test, npm run build, and the rights that it
                     needed compared with those of its manifests
  --kubeconfig FILE  also applies its manifests to this server, and lets its program work there with the token of its account
  --binaries DIR     the same with the kube-apiserver and etcd of this directory
  --help             shows this

The exit code is 1 when a step fails.`;

const SCRATCH = join(ROOT, '.tmp', 'new-project');
const EMPTY = join(SCRATCH, 'empty');
const PROJECT = join(EMPTY, 'shop');
const LIMIT_MS = 120_000;
/** The message of the program when a right is missing. */
const REFUSED = /FORBIDDEN|may not/;

interface Role {
  readonly kind: string;
  readonly rules: readonly object[];
}

async function step<R>(what: string, work: () => Promise<R>): Promise<R> {
  const startMs = performance.now();
  const result = await work();
  console.log(`${what}: passed, ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  return result;
}

async function rolesIn(text: string): Promise<readonly Role[]> {
  const manifests = await parseManifests(text, 'roles');
  return manifests
    .map(({ object }) => object as unknown as Role)
    .filter(({ kind }) => /^(?:Cluster)?Role$/.test(kind))
    .map(({ kind, rules }) => ({ kind, rules }));
}

async function makeProject(): Promise<void> {
  const tarball = await step('npm pack', async () => await pack(SCRATCH));
  const makes = ['listwatch', 'new', 'shop', '--listwatch', tarball];
  const package_ = ['exec', '--yes', `--package=${tarball}`, '--'];
  await step('npx listwatch new shop', async () => await npm([...package_, ...makes], EMPTY));
  await step('npm ci', async () => await npm(['ci', '--silent'], PROJECT));
  const tested = await step('npm test', async () => await npm(['test'], PROJECT));
  console.log(`  ${tested.stdout.match(/^# (?:tests|pass|fail) \d+$/gm)?.join(', ')}`);
  await step('npm run types -- --check', async () => {
    await npm(['run', 'types', '--', '--check'], PROJECT);
  });
  const { stdout } = await step('npm run rights', async () => {
    return await npm(['run', '--silent', 'rights'], PROJECT);
  });
  const needed = JSON.stringify(await rolesIn(stdout));
  const given = JSON.stringify(
    await rolesIn(readFileSync(join(PROJECT, 'manifests/20-rights.yaml'), 'utf8')),
  );
  if (needed !== given) throw new Error(`it needed ${needed}, and its manifests give ${given}`);
  console.log('  what it needed is what its manifests give');
  // As in its Dockerfile.
  await step('npm run build && npm prune --omit=dev', async () => {
    await npm(['run', 'build'], PROJECT);
    await npm(['prune', '--omit=dev', '--silent'], PROJECT);
  });
}

/** The program as the image runs it, with the token of its account. */
async function withProgram(
  admin: Client,
  address: { readonly server: string; readonly ca: string },
  work: (output: { readonly text: string }) => Promise<void>,
): Promise<string> {
  const accounts = admin.resource('v1', 'serviceaccounts', { namespace: 'shop' });
  const { token } = await accounts.createToken('shop');
  const kubeconfig = join(SCRATCH, 'account.kubeconfig');
  const cluster = {
    server: address.server,
    'certificate-authority-data': Buffer.from(address.ca).toString('base64'),
  };
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'real', cluster }],
    users: [{ name: 'shop', user: { token } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'shop', namespace: 'shop' } }],
    'current-context': 'real',
  };
  writeFileSync(kubeconfig, JSON.stringify(document), { mode: 0o600 });
  const env = { ...process.env, KUBECONFIG: kubeconfig, PORT: '0', NODE_ENV: 'production' };
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: PROJECT, env });
  const output = outputOf(child);
  try {
    await work(output);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`it ended with ${code}`);
  } catch (error) {
    throw new Error(`the program: ${output.text}`, { cause: error });
  } finally {
    child.kill('SIGKILL');
  }
  return output.text;
}

function outputOf(child: ChildProcess): { text: string } {
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  }
  return output;
}

async function worksOn(
  admin: Client,
  address: { readonly server: string; readonly ca: string },
): Promise<void> {
  const limits = { timeoutMs: LIMIT_MS };
  for (const folder of ['manifests', 'example']) {
    for (const name of readdirSync(join(PROJECT, folder)).toSorted()) {
      await admin.applyAll(readFileSync(join(PROJECT, folder, name), 'utf8'));
    }
  }
  const namespace = { namespace: 'default' };
  const shops = admin.resource('example.com/v1', 'shops', namespace);
  const pages = admin.resource('v1', 'configmaps', namespace);
  await step('the program works on the real server with the rights of its account', async () => {
    const said = await withProgram(admin, address, async () => {
      const statusOf = (object: unknown): string => JSON.stringify((object as object) ?? {});
      await shops.wait('hello', (shop) => statusOf(shop).includes('"Published"'), limits);
      await pages.patch('hello-page', { data: { 'index.html': 'changed by another' } });
      await pages.wait(
        'hello-page',
        (page) => page?.data?.['index.html'] === '<p>good morning</p>',
        limits,
      );
      await shops.patch('hello', { spec: { greeting: 'good night' } });
      await pages.wait(
        'hello-page',
        (page) => page?.data?.['index.html'] === '<p>good night</p>',
        limits,
      );
    });
    if (REFUSED.test(said)) throw new Error(`a right is missing: ${said}`);
  });
  const bindings = admin.resource('rbac.authorization.k8s.io/v1', 'clusterrolebindings');
  await bindings.delete('shop');
  await step('without the binding of its manifests it may do nothing', async () => {
    await withProgram(admin, address, async (output) => {
      await until('the program has said what it may not do', () => REFUSED.test(output.text));
    });
  });
  await shops.delete('hello');
  await pages.delete('hello-page', { ignoreNotFound: true });
}

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    binaries: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else {
  await exitWithoutRegistry('new-project');
  rmSync(SCRATCH, { recursive: true, force: true });
  mkdirSync(EMPTY, { recursive: true });
  await makeProject();
  if (values.binaries !== undefined) {
    await using server = await startRealApiServer({ binaries: values.binaries });
    await using admin = await connect({ ...server.clientConfig(), fieldManager: 'new-project' });
    await worksOn(admin, { server: server.url, ca: server.certificateAuthority });
  }
  if (values.kubeconfig !== undefined) {
    const { kubeconfig } = values;
    await using admin = await connect({ kubeconfig, fieldManager: 'new-project' });
    const { stdout } = await run('kubectl', [
      '--kubeconfig',
      kubeconfig,
      'config',
      'view',
      '--raw',
      '--minify',
      '-o',
      'json',
    ]);
    const { clusters } = JSON.parse(stdout) as {
      readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
    };
    const { server = '', ...tls } = clusters[0].cluster;
    const file = tls['certificate-authority'];
    const ca =
      file === undefined
        ? Buffer.from(tls['certificate-authority-data'] ?? '', 'base64').toString()
        : readFileSync(file, 'utf8');
    await worksOn(admin, { server, ca });
  }
}
