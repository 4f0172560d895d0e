import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Node, Pod, Taint } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { isWhole } from '../../support/share.ts';
import { SchedulingWorld } from './scheduling-world.ts';

const ZONE = 'topology.kubernetes.io/zone';
const OPERATIONS = 60;
const SEEDS = isWhole ? 150 : 6;

interface Random {
  below(limit: number): number;
  one<T>(values: readonly T[]): T;
}

function randomOf(seed: number): Random {
  const next = seededRandom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    one: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('there is nothing to draw from');
      return value;
    },
  };
}

/** One random change of the cluster. */
async function step(cluster: SchedulingWorld, random: Random, index: number): Promise<void> {
  const nodes = cluster.world.client.resource('v1', 'nodes');
  const node = `node-${random.below(5)}`;
  const pod = `pod-${random.below(index + 1)}`;
  switch (random.below(9)) {
    case 0:
      await nodes.delete(node);
      return;
    case 1: {
      const taints: Taint[] = random.below(2) === 0 ? [] : [{ key: 'x', effect: 'NoSchedule' }];
      await nodes.patch(node, { spec: { unschedulable: random.below(3) === 0, taints } });
      return;
    }
    case 2:
      await nodes.patch(node, { metadata: { labels: { [ZONE]: random.one(['a', 'b']) } } });
      return;
    case 3: {
      const cpu = random.one(['1', '2', '3']);
      await nodes.patch(node, { status: { allocatable: { cpu } } }, { subresource: 'status' });
      return;
    }
    case 4:
      await cluster.pods().delete(pod);
      return;
    case 5:
      await cluster
        .pods()
        .patch(pod, { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      return;
    case 6: {
      const allocatable = { cpu: random.one(['1', '2']), pods: '4' };
      await cluster.node(node, { allocatable, labels: { [ZONE]: random.one(['a', 'b']) } });
      return;
    }
    default:
      await addPod(cluster, random, `pod-${index}`);
  }
}

async function addPod(cluster: SchedulingWorld, random: Random, name: string): Promise<void> {
  const term = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'loner' } } };
  const isLoner = random.below(4) === 0;
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  await cluster.pod(name, {
    requests: { cpu: random.one(['100m', '500m', '1']) },
    labels: isLoner ? { app: 'loner' } : {},
    ...(isLoner ? { affinity: { podAntiAffinity } } : {}),
    ...(random.below(3) === 0 ? { tolerations: [{ operator: 'Exists' }] } : {}),
    ...(random.below(4) === 0 ? { nodeSelector: { [ZONE]: random.one(['a', 'b']) } } : {}),
  });
}

const cpuOf = (pod: Pod): number => {
  const text = String(pod.spec?.containers[0]?.resources?.requests?.['cpu'] ?? '0');
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
};
const isLoner = ({ metadata }: Pod): boolean => metadata?.labels?.['app'] === 'loner';
const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded';

/** A plain reading of the rules, without sums. */
function fits(
  pod: Pod,
  node: Stored<Node>,
  nodes: readonly Stored<Node>[],
  placed: readonly Pod[],
): boolean {
  const on = (one: Pod, name: string): boolean => one.spec?.nodeName === name;
  const own = placed.filter((one) => on(one, node.metadata.name));
  const { allocatable = {} } = node.status ?? {};
  const used = own.reduce((sum, one) => sum + cpuOf(one), 0);
  if (own.length >= Number(allocatable['pods'])) return false;
  if (used + cpuOf(pod) > Number(allocatable['cpu']) * 1000) return false;
  const toleratesAll = (pod.spec?.tolerations ?? []).some(
    ({ operator, key }) => operator === 'Exists' && !key,
  );
  const isClosed = node.spec?.unschedulable === true || (node.spec?.taints ?? []).length > 0;
  if (isClosed && !toleratesAll) return false;
  const zone = node.metadata.labels?.[ZONE];
  const wanted = pod.spec?.nodeSelector?.[ZONE];
  if (wanted !== undefined && wanted !== zone) return false;
  const near = nodes.filter(
    ({ metadata }) => zone !== undefined && metadata.labels?.[ZONE] === zone,
  );
  return !(
    isLoner(pod) &&
    placed.some((one) => isLoner(one) && near.some(({ metadata }) => on(one, metadata.name)))
  );
}

describe('a scheduler in a random cluster', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    it(`leaves no pod pending that fits, and knows all pods (seed ${seed})`, async () => {
      await SchedulingWorld.run(async (cluster) => {
        const random = randomOf(seed);
        for (let index = 0; index < 5; index += 1) {
          const labels = { [ZONE]: random.one(['a', 'b']) };
          await cluster.node(`node-${index}`, { allocatable: { cpu: '2', pods: '4' }, labels });
        }
        for (let index = 0; index < OPERATIONS; index += 1) {
          try {
            await step(cluster, random, index);
          } catch (error) {
            if (!isNotFound(error) && !isExisting(error)) throw error;
          }
          if (random.below(3) === 0) await cluster.world.sleep(random.below(3000));
        }
        await cluster.world.sleep(60_000);
        const { items: nodes } = await cluster.world.client.resource('v1', 'nodes').list();
        const { items: pods } = await cluster.pods().list();
        const alive = pods.filter((pod) => !isOver(pod));
        const placed = alive.filter(({ spec }) => spec?.nodeName !== undefined);
        const pending = alive.filter(({ spec }) => spec?.nodeName === undefined);
        const missed = pending.flatMap((pod) =>
          nodes.flatMap((node) =>
            fits(pod, node, nodes, placed) ? [`${pod.metadata.name} on ${node.metadata.name}`] : [],
          ),
        );
        expect(missed).to.deep.equal([]);
        expect(cluster.scheduler.inspect()).to.deep.equal({
          active: 0,
          backingOff: 0,
          unschedulable: pending.length,
          gated: 0,
          nodes: nodes.length,
          placed: placed.length,
          binding: 0,
        });
        const counts = pending.map(({ status }) => status?.conditions?.[0]?.message ?? 'none');
        const start = nodes.length === 0 ? 'no nodes available' : '0/';
        expect(counts.filter((text) => !text.startsWith(start) && nodes.length > 0)).to.deep.equal(
          [],
        );
      }, seed);
    });
  }
});

function isExisting(error: unknown): boolean {
  return error instanceof Error && error.message.includes('exists');
}
