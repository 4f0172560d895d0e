import type { Client } from '../../../lib/client/rest/client.ts';
import { nodeLifecycle } from '../../../lib/cluster/nodes/node-lifecycle.ts';
import { podGarbage } from '../../../lib/cluster/nodes/pod-garbage.ts';
import { isReady } from '../../../lib/cluster/nodes/node-signals.ts';
import { taintEviction } from '../../../lib/cluster/nodes/taint-eviction.ts';
import { isPodEnded, isPodReady } from '../../../lib/cluster/ownership/pod-activity.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { Node, Pod, PodSpec, Toleration } from '../../../lib/types/built-in/core-v1-kinds.ts';
import {
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';
import { plainKubelet } from './plain-kubelet.ts';
import { pods, podsOf, template } from './replicas.ts';

const LEASES = 'kube-node-lease';
const COORDINATION = 'coordination.k8s.io/v1';
const FOR_EVER = 2_147_483_647;
const NODES = ['node-1', 'node-2', 'node-3'];
const KEYS = 'node.kubernetes.io/';

const nodes = (user: Client) => user.resource('v1', 'nodes');
const leases = (user: Client) => user.resource(COORDINATION, 'leases', { namespace: LEASES });

/** The status of a node whose kubelet has sent a heartbeat. */
const beat = (heartbeat: number): object => ({
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: new Date(heartbeat * 1000).toISOString(),
    },
  ],
});
const nodeObject = (name: string): KubernetesObject & { readonly status: object } => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: beat(0),
});
const leaseObject = (name: string): KubernetesObject =>
  ({
    apiVersion: COORDINATION,
    kind: 'Lease',
    metadata: { name, namespace: LEASES },
    spec: { holderIdentity: name, leaseDurationSeconds: FOR_EVER },
  }) as KubernetesObject;

const createPod = (name: string, nodeName: string, spec: Partial<PodSpec> = {}): DrawnStep => ({
  title: `create the pod ${name} on ${nodeName}`,
  act: async (user) => {
    const made = template('web', 'web:1');
    await pods(user).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...made.metadata, name },
      spec: { containers: [], ...made.spec, ...spec, nodeName },
    });
  },
});

const somePod = (pick: Pick): DrawnStep => {
  const tolerations: Toleration[][] = [
    [],
    [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    [{ operator: 'Exists', effect: 'NoExecute' }],
  ];
  return createPod(`some-${pick(1_000_000)}`, NODES[pick(3)] ?? '', {
    tolerations: tolerations[pick(3)],
  });
};

const onNode =
  (title: string, act: (user: Client, name: string, pick: Pick) => Promise<unknown>) =>
  (pick: Pick): DrawnStep => {
    const name = NODES[pick(3)] ?? '';
    const drawn = pick(1000);
    return { title: `${title}: ${name}`, act: (user) => act(user, name, (count) => drawn % count) };
  };

const fails = onNode('fails', async (user, name) => {
  await leases(user).patch(name, { spec: { leaseDurationSeconds: 40 } });
});
const recovers = onNode('recovers', async (user, name, pick) => {
  await leases(user).patch(name, { spec: { leaseDurationSeconds: FOR_EVER } });
  const status = beat(1 + pick(1000));
  await nodes(user).patch(name, { status }, { type: 'strategic', subresource: 'status' });
});
const cordons = onNode('cordons', (user, name, pick) =>
  nodes(user).patch(name, { spec: { unschedulable: pick(2) === 0 } }),
);
const pressure = onNode('memory pressure', (user, name, pick) =>
  nodes(user).patch(
    name,
    {
      status: {
        conditions: [{ type: 'MemoryPressure', status: pick(2) === 0 ? 'True' : 'False' }],
      },
    },
    { type: 'strategic', subresource: 'status' },
  ),
);

function taintsOf(node: Node): string {
  const own = (node.spec?.taints ?? []).filter(({ key }) => key.startsWith(KEYS));
  return own
    .map(({ key, effect }) => `${key.slice(KEYS.length)}:${effect}`)
    .toSorted()
    .join();
}

function nodesSettled(state: ClusterState): boolean {
  const all = state.list('v1', 'nodes');
  const lost = all.filter(({ metadata }) => {
    const lease = state.get(COORDINATION, 'leases', metadata?.name ?? '', LEASES);
    return lease?.spec?.leaseDurationSeconds !== FOR_EVER;
  });
  return all.every((node) => {
    const status = (type: string) =>
      node.status?.conditions?.find((one) => one.type === type)?.status;
    const isLost = lost.includes(node);
    if (isReady(node) === isLost) return false;
    const wanted: string[] = [];
    if (node.spec?.unschedulable === true) wanted.push('unschedulable:NoSchedule');
    if (status('MemoryPressure') === 'True') wanted.push('memory-pressure:NoSchedule');
    if (isLost) wanted.push('unreachable:NoSchedule');
    if (isLost && lost.length < all.length) wanted.push('unreachable:NoExecute');
    if (taintsOf(node) !== wanted.toSorted().join()) return false;
    if (!isLost) return true;
    const own = podsOf(state).filter(({ spec }) => spec?.nodeName === node.metadata?.name);
    return (
      status('MemoryPressure') === 'Unknown' && !own.filter((pod) => isOld(pod)).some(isPodReady)
    );
  });
}

/** A pod that became ready after its node was lost is not looked at. */
function isOld({ metadata }: Pod): boolean {
  return metadata?.name?.startsWith('first-') === true;
}

function keepsLiving(): Invariant {
  return {
    name: 'nodes that live are not lost',
    always: (state) => {
      const lost = state.list('v1', 'nodes').find((node) => {
        const isUnknown = node.status?.conditions?.some(
          ({ type, status }) => type === 'Ready' && status === 'Unknown',
        );
        return node.metadata?.name === 'node-4' && isUnknown === true;
      });
      return lost && 'node-4 is lost';
    },
  };
}

const WORLD = [...NODES, 'node-4'].flatMap((name) => [nodeObject(name), leaseObject(name)]);

const lifecycle: PartSimulation = {
  name: 'node-lifecycle',
  options: (variant) => ({
    world: {
      objects: WORLD,
      environment: [plainKubelet],
    },
    controllers: [simulatedParts('node-lifecycle', nodeLifecycle)],
    workload: randomWorkload({
      variant,
      first: NODES.map((name, at) => createPod(`first-${at}`, name)),
      draws: [fails, fails, recovers, recovers, cordons, pressure],
      count: 8,
      settled: nodesSettled,
    }),
    invariants: [
      keepsLiving(),
      {
        name: 'nodes have the state and the taints of their signs of life',
        eventually: nodesSettled,
      },
    ],
  }),
};

const taint = onNode('taints', (user, name, pick) => {
  const taints = [{ key: 'example.com/work', effect: 'NoExecute' }];
  return nodes(user).patch(name, { spec: { taints: pick(3) === 0 ? null : taints } });
});

function toleratesForEver({ spec }: Pod): boolean {
  return (spec?.tolerations ?? []).some(
    ({ key = '', operator, effect, tolerationSeconds }) =>
      key === '' &&
      operator === 'Exists' &&
      effect === 'NoExecute' &&
      tolerationSeconds === undefined,
  );
}

function evicted(state: ClusterState): boolean {
  return podsOf(state).every((pod) => {
    const node = state.get('v1', 'nodes', pod.spec?.nodeName ?? '');
    const isTainted = node?.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true;
    return !isTainted || toleratesForEver(pod);
  });
}

const deletesOnlyEvicted: Invariant = {
  name: 'only pods that do not tolerate a taint are deleted',
  always: (state) => {
    const wrong = podsOf(state).find(
      (pod) =>
        pod.metadata.deletionTimestamp !== undefined &&
        (toleratesForEver(pod) || pod.spec?.nodeName === 'node-4'),
    );
    return wrong && `the pod ${wrong.metadata.name} is deleted`;
  },
};

const eviction: PartSimulation = {
  name: 'taint-eviction',
  options: (variant) => ({
    world: { objects: WORLD, environment: [plainKubelet] },
    controllers: [simulatedParts('taint-eviction', taintEviction)],
    workload: randomWorkload({
      variant,
      first: [createPod('first', 'node-4')],
      draws: [somePod, somePod, somePod, taint, taint],
      count: 12,
      settled: evicted,
    }),
    invariants: [
      deletesOnlyEvicted,
      { name: 'no pod is left that does not tolerate a taint', eventually: evicted },
    ],
  }),
};

const MOST_ENDED = 2;

const endPod = (pick: Pick): DrawnStep => {
  const n = pick(4);
  const phase = pick(2) === 0 ? 'Failed' : 'Succeeded';
  return {
    title: `pod ${n} ends as ${phase}`,
    act: async (user) => {
      const { items } = await pods(user).list();
      const running = items.filter((pod) => !isPodEnded(pod) && !isOld(pod));
      const name = running[n % Math.max(1, running.length)]?.metadata.name;
      if (name !== undefined)
        await pods(user).patch(name, { status: { phase } }, { subresource: 'status' });
    },
  };
};

const deleteNode = onNode('delete or create', async (user, name) => {
  const { items } = await nodes(user).list();
  if (items.some(({ metadata }) => metadata.name === name)) await nodes(user).delete(name);
  else await nodes(user).create({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
});

const outOfService = onNode('is out of service', async (user, name, pick) => {
  const { items } = await nodes(user).list();
  if (!items.some(({ metadata }) => metadata.name === name)) return;
  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
  await nodes(user).patch(name, { spec: { taints: pick(2) === 0 ? null : taints } });
});

function collected(state: ClusterState): boolean {
  const all = podsOf(state);
  const orphans = all.filter(
    ({ spec }) => state.get('v1', 'nodes', spec?.nodeName ?? '') === undefined,
  );
  return orphans.length === 0 && all.filter(isPodEnded).length <= MOST_ENDED;
}

const keepsRunning: Invariant = {
  name: 'running pods on nodes that are there are left alone',
  always: (state) => {
    const isStarted = state.elapsedMs > 0 && seenFirst.has(state);
    const first = state.get('v1', 'pods', 'first-0', 'default') as Stored<Pod> | undefined;
    if (first !== undefined) seenFirst.add(state);
    const isGone = isStarted && first === undefined;
    return isGone || first?.metadata.deletionTimestamp !== undefined
      ? 'the pod first-0 is deleted'
      : undefined;
  },
};
const seenFirst = new WeakSet<ClusterState>();

const garbage: PartSimulation = {
  name: 'pod-garbage-collector',
  options: (variant) => ({
    world: { objects: WORLD, environment: [plainKubelet] },
    controllers: [
      simulatedParts('pod-garbage-collector', (parts) => podGarbage(parts, MOST_ENDED)),
    ],
    workload: randomWorkload({
      variant,
      first: [createPod('first-0', 'node-4')],
      draws: [somePod, somePod, endPod, endPod, deleteNode, outOfService],
      count: 12,
      settled: collected,
    }),
    invariants: [
      keepsRunning,
      { name: 'no pod is left without a node, and few that have ended', eventually: collected },
    ],
  }),
};

export const nodeSimulations: readonly PartSimulation[] = [lifecycle, eviction, garbage];
