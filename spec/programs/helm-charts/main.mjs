/** Installs, upgrades, rolls back, tests and removes public charts with the program helm; each has a namespace of its own. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { charts } from './charts.mjs';
import { expect, namespace as prefix, step as limitedStep } from './steps.mjs';

const folder = process.env.PROGRAM_CHARTS;
const home = await mkdtemp(join(tmpdir(), 'helm-'));
const run = promisify(execFile);
const env = { PATH: process.env.PATH, KUBECONFIG: process.env.KUBECONFIG, HOME: home };
/** Enough for the roll-back that follows a failure, which has the same limit. */
const LIMIT = '15s';
const WAIT = ['--wait', '--timeout', '2m'];

/** Longer than the waits of its commands. */
const step = (name, check) => limitedStep(name, check, 400_000);

async function helm(...parameters) {
  const { stdout } = await run('./helm', parameters, { env, timeout: 300_000, maxBuffer: 2 ** 28 });
  return stdout;
}

async function helmJson(...parameters) {
  return JSON.parse(await helm(...parameters, '-o', 'json'));
}

const isFour = (await helm('version', '--short')).startsWith('v4');
const ATOMIC = isFour ? '--rollback-on-failure' : '--atomic';

/** The chart of a folder, if it is one of those that are known. */
async function chartOf(path) {
  const text = await readFile(join(path, 'Chart.yaml'), 'utf8').catch(() => '');
  const name = /^name: *"?([\w-]+)/m.exec(text)?.[1];
  return charts[name] && { name, path, ...charts[name] };
}

/** Installs an object that a chart counts on as a release of its own. */
async function installBefore(object, space) {
  const path = join(home, 'before');
  await mkdir(join(path, 'templates'), { recursive: true });
  await writeFile(join(path, 'Chart.yaml'), 'apiVersion: v2\nname: before\nversion: 1.0.0\n');
  await writeFile(join(path, 'templates', 'object.yaml'), JSON.stringify(object));
  await helm('install', 'before', path, ...space, '--create-namespace');
}

async function testChart({ name, path, set = [], broken, more, before: needed }) {
  const namespace = `${prefix}-${name}`;
  const space = ['--namespace', namespace];
  const values = (...also) => ['--set', [...set, ...also].join(',')];
  const chart = ['web', path, ...space];
  const last = async () => (await helmJson('history', 'web', ...space)).at(-1);
  const manifest = async () => await helm('get', 'manifest', 'web', ...space);

  await step(`${name}: install and wait`, async () => {
    if (needed !== undefined) await installBefore(needed, space);
    const release = await helmJson('install', ...chart, ...values(), ...WAIT, '--create-namespace');
    expect(release.info.status === 'deployed', release.info);
  });
  await step(`${name}: upgrade and wait`, async () => {
    const release = await helmJson('upgrade', ...chart, ...values(more), ...WAIT);
    expect(release.version === 2 && release.info.status === 'deployed', release.info);
  });
  await step(`${name}: upgrade to a missing image rolls back`, async () => {
    const limit = ['--set-string', broken, '--timeout', LIMIT];
    const before = await manifest();
    const failure = await helm('upgrade', ...chart, ...values(more), ...limit, ATOMIC).catch(
      (error) => error,
    );
    expect(failure instanceof Error, 'helm accepted it');
    expect(failure.stderr.includes('rolled back due to'), failure.stderr);
    const { status, description } = await last();
    expect(status === 'deployed' && description === 'Rollback to 2', status, description);
    expect((await manifest()) === before, 'another manifest');
  });
  await step(`${name}: rollback and wait`, async () => {
    await helm('rollback', 'web', '1', ...space, ...WAIT);
    const { status, description } = await last();
    expect(status === 'deployed' && description === 'Rollback to 1', status, description);
  });
  await step(`${name}: test`, async () => {
    await helm('test', 'web', ...space, '--timeout', '20s');
  });
  await step(`${name}: uninstall and wait`, async () => {
    await helm('uninstall', 'web', ...space, ...WAIT);
    const left = await helmJson('list', '--all', ...space);
    expect(!left.some((one) => one.name === 'web'), 'still listed');
  });
}

const folders = (await readdir(folder)).toSorted().map((name) => join(folder, name));
const found = (await Promise.all(folders.map(chartOf))).filter((one) => one !== undefined);
await step('six charts are there', async () =>
  expect(found.length >= 6, `${folder} has ${found.length} of ${Object.keys(charts).join(', ')}`),
);
for (const chart of found) await testChart(chart);
console.log('STEP end');
