/** Steps with the program kubectl that wait for pods that run. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, namespace, step as limitedStep } from './steps.mjs';

const program = process.env.PROGRAM_KUBECTL;
const home = await mkdtemp(join(tmpdir(), 'kubectl-'));
const run = promisify(execFile);
const env = { PATH: process.env.PATH, KUBECONFIG: process.env.KUBECONFIG, HOME: home };

/** Longer than the waits of its commands. */
const step = (name, check) => limitedStep(name, check, 300_000);

async function kubectl(...parameters) {
  const { stdout } = await run(program, ['--namespace', namespace, ...parameters], {
    env,
    timeout: 90_000,
  });
  return stdout;
}

/** The error of a command that fails; its `code` is the exit code. */
async function failing(...parameters) {
  const outcome = await kubectl(...parameters).catch((error) => error);
  expect(outcome instanceof Error, 'kubectl did not fail:', outcome);
  return outcome;
}

async function apply(...objects) {
  const path = join(home, 'objects.json');
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await kubectl('apply', '-f', path);
}

function deployment(name, replicas, spec = {}) {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
  };
}

async function setDeadline(progressDeadlineSeconds) {
  const patch = JSON.stringify({ spec: { progressDeadlineSeconds } });
  await kubectl('patch', 'deployment', 'web', '-p', patch);
}

const WAIT = '--timeout=60s';

await step('namespace create', async () => await kubectl('create', 'namespace', namespace));
await step('rollout status of a new Deployment', async () => {
  await apply(deployment('web', 3));
  const text = await kubectl('rollout', 'status', 'deployment/web', WAIT);
  expect(text.includes('deployment "web" successfully rolled out'), text);
});
await step('wait for conditions and fields', async () => {
  await kubectl('wait', '--for=condition=Available', 'deployment/web', WAIT);
  await kubectl('wait', '--for=condition=Ready', 'pod', '-l', 'app=web', WAIT);
  await kubectl('wait', '--for=jsonpath={.status.readyReplicas}=3', 'deployment/web', WAIT);
  await kubectl('wait', '--for=condition=Ready', 'node', '--all', WAIT);
});
await step('wait for creation', async () => {
  const waiting = kubectl('wait', '--for=create', 'pod/later', WAIT);
  await kubectl('run', 'later', '--image=example.com/main:1');
  await waiting;
  await kubectl('wait', '--for=condition=Ready', 'pod/later', WAIT);
});
await step('wait that runs out of time', async () => {
  const { stderr } = await failing('wait', '--for=delete', 'pod/later', '--timeout=1s');
  expect(/timed out waiting for the condition|deadline exceeded/.test(stderr), stderr);
});
await step('rollout status of a new image', async () => {
  await kubectl('set', 'image', 'deployment/web', 'main=example.com/main:2');
  const text = await kubectl('rollout', 'status', 'deployment/web', WAIT);
  expect(text.includes('successfully rolled out'), text);
  const images = await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={..image}');
  expect(!images.includes('main:1'), images);
});
await step('rollout status of an image that cannot be pulled', async () => {
  await setDeadline(5);
  await kubectl('set', 'image', 'deployment/web', 'main=registry.invalid/main:3');
  const { stderr, code } = await failing('rollout', 'status', 'deployment/web', WAIT);
  expect(stderr.includes('exceeded its progress deadline') && code === 1, stderr);
  const pods = await kubectl('get', 'pods', '-l', 'app=web');
  expect(/ErrImagePull|ImagePullBackOff/.test(pods), pods);
});
await step('rollout undo', async () => {
  const history = await kubectl('rollout', 'history', 'deployment/web');
  expect(/^3 /m.test(history), history);
  await setDeadline(600);
  await kubectl('rollout', 'undo', 'deployment/web');
  await kubectl('rollout', 'status', 'deployment/web', WAIT);
  const image = await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={..image}');
  expect(image === 'example.com/main:2', image);
});
await step('rollout restart', async () => {
  await kubectl('rollout', 'restart', 'deployment/web');
  await kubectl('rollout', 'status', 'deployment/web', WAIT);
});
await step('scale and wait', async () => {
  await kubectl('scale', 'deployment/web', '--replicas=5');
  await kubectl('wait', '--for=jsonpath={.status.availableReplicas}=5', 'deployment/web', WAIT);
  await kubectl('scale', 'deployment/web', '--replicas=2');
  await kubectl('wait', '--for=jsonpath={.status.replicas}=2', 'deployment/web', WAIT);
});
await step('expose has endpoints', async () => {
  await kubectl('expose', 'deployment/web', '--port=80');
  await kubectl(
    'wait',
    '--for=jsonpath={.endpoints[1].conditions.ready}=true',
    WAIT,
    'endpointslice',
    '-l',
    'kubernetes.io/service-name=web',
  );
});
await step('run to the end gives the exit code', async () => {
  const { code } = await failing(
    'run',
    'ends',
    '-i',
    '--rm',
    '--restart=Never',
    '--image=busybox',
    '--',
    'sh',
    '-c',
    'echo hello; sleep 1; exit 3',
  );
  expect(code === 3, code);
  expect((await kubectl('get', 'pods', 'ends', '--ignore-not-found')) === '', 'still there');
});
await step('logs -f follows to the end', async () => {
  await kubectl(
    'run',
    'talks',
    '--restart=Never',
    '--image=busybox',
    '--',
    'sh',
    '-c',
    'echo one; echo two; sleep 3',
  );
  const lines = await kubectl('logs', '-f', 'talks', '--pod-running-timeout=30s');
  expect(lines === 'one\ntwo\n', lines);
  await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/talks', WAIT);
});
await step('logs of all pods of a Deployment', async () => {
  const child = spawn(program, ['--namespace', namespace, 'logs', '-f', '-l', 'app=web'], { env });
  setTimeout(() => child.kill('SIGINT'), 1000);
  await once(child, 'close');
  await kubectl('logs', 'deployment/web', '--all-pods');
});
await step('exec', async () => {
  expect((await kubectl('exec', 'deployment/web', '--', 'echo', 'hi')) === 'hi\n');
  const { code } = await failing('exec', 'deployment/web', '--', 'sh', '-c', 'exit 7');
  expect(code === 7, code);
});
await step('describe shows the events of a pod', async () => {
  const text = await kubectl('describe', 'pod', '-l', 'app=web');
  expect(/Scheduled .*default-scheduler/.test(text) && /Started .*kubelet/.test(text), text);
});

let node = '';
await step('drain is held up by a budget', async () => {
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
  };
  const spec = { minAvailable: 2, selector: { matchLabels: { app: 'web' } } };
  await apply({ ...budget, spec });
  node = await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].spec.nodeName}');
  const { stderr } = await failing(
    'drain',
    node,
    '--force',
    '--ignore-daemonsets',
    '--delete-emptydir-data',
    '--timeout=20s',
  );
  expect(/Cannot evict pod as it would violate|disruption budget web/.test(stderr), stderr);
});
await step('drain without a budget', async () => {
  await kubectl('delete', 'pdb', 'web');
  const text = await kubectl(
    'drain',
    node,
    '--force',
    '--ignore-daemonsets',
    '--delete-emptydir-data',
    WAIT,
  );
  expect(text.includes(`node/${node} drained`), text);
  await kubectl('rollout', 'status', 'deployment/web', WAIT);
  const nodes = await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={..nodeName}');
  expect(!nodes.includes(node), nodes);
  await kubectl('uncordon', node);
});
await step('delete waits', async () => {
  await kubectl('delete', 'deployment', 'web', '--cascade=foreground', WAIT);
  expect((await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')) === '');
});

console.log('STEP end');
