import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { startCluster } from '../../lib/cluster/cluster.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { megabytes, perSecond, seconds, sized, timed, type Bench, type Figure } from './bench.ts';

const PODS_OF_DEPLOYMENT = 20;
const NAMESPACE = 'default';
/** Only a hang reaches it. */
const LONG = { timeoutMs: 600_000 };

function isReady(found?: {
  readonly status?: { readonly readyReplicas?: number | undefined } | undefined;
}): boolean {
  return found?.status?.readyReplicas === PODS_OF_DEPLOYMENT;
}

function deployment(name: string, replicas: number) {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.example.com/web:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec } as const;
}

async function idleStart(): Promise<number> {
  return await timed(async () => {
    const cluster = await startCluster({ controllers: 'workloads' });
    await cluster.close();
  });
}

/** Real time until a Deployment of 3 is available, whose delays are virtual. */
async function oneDeployment(): Promise<number> {
  const runtime = new VirtualRuntime({ seed: 1 });
  return await runtime.run(async () => {
    await using cluster = await startCluster({ controllers: 'workloads', runtime });
    const transport = inProcessTransport(cluster.server.handler);
    await using client = new Client({ transport, runtime });
    const deployments = client.resource('apps/v1', 'deployments', { namespace: NAMESPACE });
    await cluster.settled();
    return await timed(async () => {
      await deployments.create(deployment('web', 3));
      await deployments.wait('web', (found) => found?.status?.availableReplicas === 3);
    });
  });
}

async function manyPods(nodes: number, pods: number): Promise<readonly Figure[]> {
  await using cluster = await startCluster({ controllers: 'workloads', nodes });
  await using client = new Client({ transport: inProcessTransport(cluster.server.handler) });
  const deployments = client.resource('apps/v1', 'deployments', { namespace: NAMESPACE });
  await cluster.settled(LONG);
  const cpu = process.cpuUsage();
  const tookMs = await timed(async () => {
    const names = Array.from({ length: pods / PODS_OF_DEPLOYMENT }, (_, at) => `web-${at}`);
    await Promise.all(
      names.map((name) => deployments.create(deployment(name, PODS_OF_DEPLOYMENT))),
    );
    for (const name of names) {
      await deployments.wait(name, isReady, LONG);
    }
  });
  const { user, system } = process.cpuUsage(cpu);
  return [
    seconds(`${pods} pods of Deployments Ready on ${nodes} nodes`, tookMs),
    perSecond('pods', pods, tookMs),
    { name: 'cores', value: (user + system) / 1000 / tookMs, unit: '' },
    megabytes('memory', process.memoryUsage.rss()),
  ];
}

export const bench: Bench = {
  id: 'C1',
  title: 'a cluster whose pods run: its start, one Deployment, and many pods on many nodes',
  repeats: 3,
  quickRepeats: 1,
  run: async (size) => {
    const nodes = sized(size, { tiny: 2, quick: 100, full: 1000 });
    const pods = sized(size, { tiny: 20, quick: 1000, full: 10_000 });
    await idleStart();
    return [
      { name: 'start and end of an idle cluster', value: await idleStart(), unit: 'ms' },
      { name: 'a Deployment of 3 available', value: await oneDeployment(), unit: 'ms' },
      ...(await manyPods(nodes, pods)),
    ];
  },
};
