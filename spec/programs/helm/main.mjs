/** Steps with the program helm, on the chart in `chart/`. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const namespace = process.env.PROGRAM_NAMESPACE;
const group = `${namespace}.example.com`;
const home = await mkdtemp(join(tmpdir(), 'helm-'));
const chart = join(home, 'chart');
const run = promisify(execFile);
const env = {
  PATH: process.env.PATH,
  KUBECONFIG: process.env.KUBECONFIG,
  HOME: home,
  HELM_NAMESPACE: namespace,
};

async function helm(...parameters) {
  const { stdout } = await run('./helm', parameters, { env, timeout: 120_000 });
  return stdout;
}

async function helmJson(...parameters) {
  return JSON.parse(await helm(...parameters, '-o', 'json'));
}

async function step(name, check) {
  try {
    await check();
    console.log(`STEP ok ${name}`);
  } catch (error) {
    const text = `${error?.message ?? error} ${error?.stdout ?? ''}`.replaceAll(/\s+/g, ' ');
    console.log(`STEP failed ${name}: ${text.slice(0, 900)}`);
  }
}

function expect(holds, ...values) {
  if (!holds)
    throw new Error(values.map((one) => JSON.stringify(one)).join(' ') || 'does not hold');
}

async function refused(text, ...parameters) {
  const failure = await helm(...parameters).catch((error) => error);
  expect(failure instanceof Error, 'helm accepted', ...parameters);
  expect(failure.stderr.includes(text), `no ${text} in`, failure.stderr);
}

/** The chart with a definition of its own group. */
await cp('chart', chart, { recursive: true });
const definition = await readFile(join(chart, 'crds', 'part.yaml'), 'utf8');
await writeFile(join(chart, 'crds', 'part.yaml'), definition.replaceAll('shop.example.com', group));
const set = ['--set', `group=${group}`];

await step('version', async () => expect((await helm('version', '--short')).startsWith('v')));
await step('lint and template', async () => {
  await helm('lint', chart);
  expect((await helm('template', 'web', chart)).includes('kind: HorizontalPodAutoscaler'));
});
await step(
  'install without the definition is refused',
  async () =>
    await refused(
      'no matches for kind "Part"',
      'install',
      'web',
      chart,
      ...set,
      '--create-namespace',
      '--skip-crds',
    ),
);
await step('install with a definition, an Ingress and an autoscaler', async () => {
  const release = await helmJson('install', 'web', chart, ...set, '--create-namespace');
  expect(release.info.status === 'deployed' && release.version === 1, release.info);
});
await step(
  'install again is refused',
  async () =>
    await refused('cannot re-use a name that is still in use', 'install', 'web', chart, ...set),
);
await step('list', async () => {
  const [release] = await helmJson('list');
  expect(release.name === 'web' && release.status === 'deployed' && release.chart === 'shop-1.0.0');
});
await step('list of all namespaces', async () => {
  const releases = await helmJson('list', '--all-namespaces');
  expect(releases.some((one) => one.namespace === namespace));
});
await step('status with resources', async () => {
  const release = await helmJson('status', 'web', '--show-resources');
  expect(release.info.status === 'deployed' && Object.keys(release.info.resources).length >= 10);
});
await step('status as a table', async () =>
  expect((await helm('status', 'web', '--show-resources')).includes('==> v1/Deployment')),
);
await step('get manifest, values, hooks, notes', async () => {
  expect((await helm('get', 'manifest', 'web')).includes('kind: Ingress'));
  expect((await helmJson('get', 'values', 'web', '--all')).replicas === 1);
  expect((await helm('get', 'hooks', 'web')).includes('web-before'));
  await helm('get', 'all', 'web');
});
await step('lookup and capabilities ask the server', async () => {
  const manifest = await helm('get', 'manifest', 'web');
  expect(manifest.includes('cluster: "default"') && manifest.includes('capabilities: "true"'));
});
await step('test', async () => expect((await helm('test', 'web')).includes('Succeeded')));
await step('upgrade', async () => {
  const release = await helmJson(
    'upgrade',
    'web',
    chart,
    ...set,
    '--set',
    'replicas=2,message=two',
  );
  expect(release.version === 2 && release.info.status === 'deployed', release.info);
});
await step('upgrade without change', async () => {
  const release = await helmJson('upgrade', 'web', chart, '--reuse-values');
  expect(release.version === 3);
});
await step('upgrade that the server refuses', async () => {
  await refused(
    'less than or equal to 10',
    'upgrade',
    'web',
    chart,
    ...set,
    '--set',
    'replicas=11',
  );
  expect((await helmJson('history', 'web')).at(-1).status === 'failed');
});
await step('rollback', async () => {
  await helm('rollback', 'web', '1');
  const history = await helmJson('history', 'web');
  expect(
    history.at(-1).status === 'deployed' && history.at(-1).description === 'Rollback to 1',
    history,
  );
  expect((await helm('get', 'manifest', 'web')).includes('message: "hello"'));
});
await step(
  'upgrade that waits gives up in time',
  async () =>
    await refused(
      'context deadline exceeded',
      'upgrade',
      'web',
      chart,
      ...set,
      '--wait',
      '--timeout',
      '2s',
    ),
);
await step('atomic upgrade rolls back', async () => {
  await helm(
    'upgrade',
    'web',
    chart,
    ...set,
    '--atomic',
    '--timeout',
    '2s',
    '--set',
    'message=late',
  ).catch(() => '');
  expect((await helm('get', 'manifest', 'web')).includes('message: "hello"'));
});
await step('install or upgrade', async () => {
  const release = await helmJson('upgrade', '--install', 'other', chart, ...set, '--skip-crds');
  expect(release.version === 1);
});
await step('dry run by the server', async () => {
  const text = await helm(
    'upgrade',
    'other',
    chart,
    ...set,
    '--dry-run=server',
    '--set',
    'message=dry',
  );
  expect(text.includes('message: "dry"') && (await helmJson('history', 'other')).length === 1);
});
await step('uninstall and keep the history', async () => {
  await helm('uninstall', 'other', '--keep-history');
  expect((await helmJson('list', '--uninstalled'))[0].status === 'uninstalled');
});
await step('rollback of what was uninstalled', async () => {
  await helm('rollback', 'other', '1');
  expect((await helmJson('status', 'other')).info.status === 'deployed');
});
await step('uninstall', async () => {
  await helm('uninstall', 'web');
  await helm('uninstall', 'other');
  await refused('release: not found', 'status', 'web');
  expect((await helmJson('list', '--all')).length === 0);
});
await step('releases in config maps', async () => {
  env.HELM_DRIVER = 'configmap';
  await helm('install', 'third', chart, ...set, '--skip-crds');
  expect((await helmJson('list')).length === 1);
  await helm('uninstall', 'third');
});

console.log('STEP end');
