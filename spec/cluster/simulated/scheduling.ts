import type { Client } from '../../../lib/client/rest/client.ts';
import { NodeLife } from '../../../lib/cluster/life/node-life.ts';
import { nodeLifecycle } from '../../../lib/cluster/nodes/node-lifecycle.ts';
import { isPodActive, isPodReady } from '../../../lib/cluster/ownership/pod-activity.ts';
import { Scheduler } from '../../../lib/cluster/scheduling/scheduler.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { FaultKind } from '../../../lib/simulator/contract/fault.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { Pod, PodSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';
import {
  nth,
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type MakePart,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';
import { pods, podsOf } from './replicas.ts';

const NODES = ['node-1', 'node-2'];
/** Of each node. */
const CPUS = 2;

const life: MakePart = (parts) =>
  new NodeLife({ ...parts, nodes: NODES.map((name) => ({ name, capacity: { cpu: CPUS } })) });

const nodes = (user: Client) => user.resource('v1', 'nodes');

const createPod = (name: string, spec: Partial<PodSpec>, cpu = 1): DrawnStep => ({
  title: `create ${name} with ${cpu} CPU and ${JSON.stringify(spec)}`,
  act: (user) =>
    pods(user).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: `${cpu}` } } }],
        ...spec,
      },
    }),
});

const anyPod = (pick: Pick): DrawnStep => {
  const spec = [{}, {}, { priorityClassName: 'high' }, { nodeSelector: { disk: 'fast' } }][pick(4)];
  return createPod(`pod-${pick(1_000_000)}`, spec ?? {}, 1 + pick(2));
};

const deletePod = (pick: Pick): DrawnStep => {
  const n = pick(5);
  return {
    title: `delete pod ${n}`,
    act: async (user) => {
      const name = nth((await pods(user).list()).items.filter(isPodActive), n)?.metadata.name;
      if (name !== undefined) await pods(user).delete(name);
    },
  };
};

const changeNode = (pick: Pick): DrawnStep => {
  const name = NODES[pick(2)] ?? '';
  const patch = [
    { metadata: { labels: { disk: 'fast' } } },
    { metadata: { labels: { disk: null } } },
    { spec: { unschedulable: true } },
    { spec: { unschedulable: false } },
  ][pick(4)];
  return {
    title: `${name}: ${JSON.stringify(patch)}`,
    act: (user) => nodes(user).patch(name, patch ?? {}),
  };
};

function cpusOf({ spec }: Pod): number {
  return Number(spec?.containers[0]?.resources?.requests?.['cpu']);
}

function onNode(state: ClusterState, name: string | undefined): readonly Stored<Pod>[] {
  return podsOf(state).filter((pod) => pod.spec?.nodeName === name && isPodActive(pod));
}

const sum = (all: readonly Pod[]): number => all.reduce((total, pod) => total + cpusOf(pod), 0);

/** Every pod is bound that fits on a node, if those of a lower priority make room. */
function placed(state: ClusterState): boolean {
  const waiting = podsOf(state).filter((pod) => pod.spec?.nodeName === undefined);
  return waiting.every((pod) => {
    const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return false;
    return state.list('v1', 'nodes').every((node) => {
      const { metadata, spec } = node;
      const isOpen = spec?.unschedulable !== true && (spec?.taints ?? []).length === 0;
      const wants = pod.spec?.nodeSelector?.['disk'];
      if (!isOpen || (wants !== undefined && metadata?.labels?.['disk'] !== wants)) return true;
      const equals = onNode(state, metadata?.name).filter(
        (other) => (other.spec?.priority ?? 0) >= (pod.spec?.priority ?? 0),
      );
      return sum(equals) + cpusOf(pod) > CPUS;
    });
  });
}

const bindsOnce: Invariant = {
  name: 'a pod that is bound stays on its node, and is one that the node may have',
  always: (state) => {
    for (const { metadata, spec } of podsOf(state)) {
      const known = boundTo.get(state) ?? new Map<string, string>();
      boundTo.set(state, known);
      const before = known.get(metadata.uid);
      if (before !== undefined && before !== spec?.nodeName) return `${metadata.name} has moved`;
      if (spec?.nodeName !== undefined) known.set(metadata.uid, spec.nodeName);
    }
    return undefined;
  },
};
const boundTo = new WeakMap<ClusterState, Map<string, string>>();

/** Kinds of faults after which the scheduler has seen all of its bindings. */
const WITH_NEW_CACHES: readonly FaultKind[] = ['crash', 'slow', 'repeat', 'reorder'];

const fits: Invariant = {
  name: 'the pods of a node fit on it',
  always: (state) => {
    const full = NODES.find((name) => sum(onNode(state, name)) > CPUS);
    return full && `${full} has pods of ${sum(onNode(state, full))} CPUs`;
  },
};

const CLASS: KubernetesObject & { readonly value: number } = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 1000,
};

export const schedulerSimulation: PartSimulation = {
  name: 'scheduler',
  options: (variant) => {
    const isStrict = variant % 2 === 1;
    return {
      world: { objects: [CLASS], environment: [simulatedParts('kubelet', life, nodeLifecycle)] },
      controllers: [simulatedParts('scheduler', (parts) => new Scheduler(parts))],
      faults: isStrict ? WITH_NEW_CACHES : undefined,
      workload: randomWorkload({
        variant,
        first: [],
        draws: [anyPod, anyPod, anyPod, deletePod, changeNode],
        count: 10,
        settled: placed,
      }),
      invariants: [
        bindsOnce,
        ...(isStrict ? [fits] : []),
        { name: 'every pod that has room on a node is bound', eventually: placed },
      ],
    };
  },
};

const boundPod = (pick: Pick): DrawnStep => {
  const spec = { nodeName: NODES[pick(2)] ?? '' };
  const ends: Partial<PodSpec> = {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'busybox', command: ['true'] }],
  };
  return createPod(`pod-${pick(1_000_000)}`, { ...spec, ...(pick(4) === 0 ? ends : {}) }, 0.1);
};

const labelNode = (pick: Pick): DrawnStep => {
  const name = NODES[pick(2)] ?? '';
  const labels = { seen: `${pick(3)}` };
  return {
    title: `label ${name}`,
    act: (user) => nodes(user).patch(name, { metadata: { labels } }),
  };
};

const overwrite = (pick: Pick): DrawnStep => {
  const n = pick(4);
  return {
    title: `somebody writes that pod ${n} is not ready`,
    act: async (user) => {
      const running = (await pods(user).list()).items.filter(isPodActive);
      const name = nth(running, n)?.metadata.name;
      const status = { conditions: [{ type: 'Ready', status: 'False' }] };
      if (name === undefined) return;
      await pods(user).patch(name, { status }, { type: 'strategic', subresource: 'status' });
    },
  };
};

function running(state: ClusterState): boolean {
  const all = state.list('v1', 'nodes');
  const areReady = all.every(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  return (
    all.length === NODES.length &&
    areReady &&
    podsOf(state).every((pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) return false;
      const ends = pod.spec?.restartPolicy === 'Never';
      return ends
        ? pod.status?.phase === 'Succeeded'
        : pod.status?.phase === 'Running' && isPodReady(pod);
    })
  );
}

const ORDER = ['Pending', 'Running', 'Succeeded', 'Failed'];

function neverGoesBack(): Invariant {
  const phases = new WeakMap<ClusterState, Map<string, number>>();
  return {
    name: 'a pod never goes back, and no two have one address',
    always: (state) => {
      const known = phases.get(state) ?? new Map<string, number>();
      phases.set(state, known);
      const addresses = new Set<string>();
      for (const { metadata, status } of podsOf(state)) {
        const { phase = 'Pending', podIP } = status ?? {};
        const rank = ORDER.indexOf(phase);
        if (rank < (known.get(metadata.uid) ?? 0)) return `${metadata.name} is ${phase} again`;
        known.set(metadata.uid, rank);
        if (podIP === undefined || rank > 1) continue;
        if (addresses.has(podIP)) return `two pods have ${podIP}`;
        addresses.add(podIP);
      }
      return undefined;
    },
  };
}

export const kubeletSimulation: PartSimulation = {
  name: 'kubelet',
  options: (variant) => ({
    world: { environment: [simulatedParts('node-lifecycle', nodeLifecycle)] },
    controllers: [simulatedParts('kubelet', life)],
    workload: randomWorkload({
      variant,
      first: [],
      draws: [boundPod, boundPod, boundPod, deletePod, labelNode, overwrite],
      count: 10,
      settled: running,
    }),
    invariants: [
      neverGoesBack(),
      { name: 'the pods of the nodes run, or have ended well', eventually: running },
    ],
  }),
};
