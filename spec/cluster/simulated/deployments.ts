import type { Client } from '../../../lib/client/rest/client.ts';
import { deployments } from '../../../lib/cluster/deployments/deployment-controller.ts';
import { isSameTemplate } from '../../../lib/cluster/deployments/template-hash.ts';
import {
  isControlledBy,
  isPodActive,
  isPodEnded,
  isPodReady,
} from '../../../lib/cluster/ownership/pod-activity.ts';
import { replicaSets } from '../../../lib/cluster/replicas/replica-controller.ts';
import { controllerOf } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { FaultKind } from '../../../lib/simulator/contract/fault.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { Deployment, ReplicaSet } from '../../../lib/types/built-in/apps-v1-kinds.ts';
import {
  nth,
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';
import { BROKEN, plainKubelet } from './plain-kubelet.ts';
import { leavesOthersAlone, NAMESPACE, othersPod, podsOf, podSteps, template } from './replicas.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const SIZE = 3;

const owners = (user: Client) => user.resource('apps/v1', 'deployments', { namespace: NAMESPACE });
const sets = (user: Client) => user.resource('apps/v1', 'replicasets', { namespace: NAMESPACE });

type Spec = Partial<Deployment['spec']>;

function create(spec: Spec): DrawnStep {
  return {
    title: `create web with ${JSON.stringify(spec)}`,
    act: (user) =>
      owners(user).create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas: SIZE,
          revisionHistoryLimit: 2,
          selector: { matchLabels: { app: 'web' } },
          template: template('web', 'web:0'),
          ...spec,
        },
      }),
  };
}

const patch =
  (spec: (pick: Pick) => object) =>
  (pick: Pick): DrawnStep => {
    const given = spec(pick);
    return {
      title: `change ${JSON.stringify(given)}`,
      act: (user) => owners(user).patch('web', { spec: given }),
    };
  };

const newImage = patch((pick) => ({
  template: template('web', pick(6) === 0 ? BROKEN : `web:${pick(3)}`),
}));
const pause = patch((pick) => ({ paused: pick(2) === 0 }));
const note = (pick: Pick): DrawnStep => {
  const annotations = { note: `${pick(3)}` };
  return {
    title: 'write an annotation',
    act: (user) => owners(user).patch('web', { metadata: { annotations } }),
  };
};

const onSet =
  (title: string, act: (user: Client, name: string) => Promise<unknown>) =>
  (pick: Pick): DrawnStep => {
    const n = pick(4);
    return {
      title: `${title} ${n}`,
      act: async (user) => {
        const name = nth((await sets(user).list()).items, n)?.metadata.name;
        if (name !== undefined) await act(user, name);
      },
    };
  };

const again = (pick: Pick): DrawnStep => {
  const propagationPolicy = pick(2) === 0 ? 'Orphan' : 'Background';
  return {
    title: `delete web (${propagationPolicy}) and create it again`,
    act: async (user) => {
      await owners(user).delete('web', { propagationPolicy });
      while ((await owners(user).list()).items.length > 0);
      await create({}).act(user);
    },
  };
};

/** Changes that only roll out. */
const ROLLOUTS = [newImage, newImage, newImage, pause, note];
const ALL = [
  newImage,
  newImage,
  pause,
  note,
  again,
  patch((pick) => ({ replicas: pick(5) })),
  patch((pick) => ({ minReadySeconds: pick(2) * 3 })),
  patch((pick) => ({
    strategy: { rollingUpdate: { maxSurge: pick(3), maxUnavailable: 1 + pick(2) } },
  })),
  onSet('delete ReplicaSet', (user, name) => sets(user).delete(name)),
  onSet('scale ReplicaSet', (user, name) => sets(user).patch(name, { spec: { replicas: 2 } })),
  onSet('take the owner from ReplicaSet', (user, name) =>
    sets(user).patch(name, { metadata: { ownerReferences: null } }),
  ),
  onSet('take the labels from ReplicaSet', (user, name) =>
    sets(user).patch(name, { metadata: { labels: { app: 'other' } } }),
  ),
  ...podSteps('web'),
];
const END: DrawnStep = {
  title: 'resume web with an image that works',
  act: (user) =>
    owners(user).patch('web', { spec: { paused: false, template: template('web', 'web:9') } }),
};

function setsOf(state: ClusterState, owner: Deployment): readonly Stored<ReplicaSet>[] {
  const all = state.list('apps/v1', 'replicasets', NAMESPACE) as readonly Stored<ReplicaSet>[];
  return all.filter((set) => controllerOf(set)?.uid === owner.metadata?.uid);
}

function problem(state: ClusterState, owner: Deployment): string | undefined {
  const { spec, status = {}, metadata } = owner;
  const { replicas = 1, paused = false } = spec;
  if (status.observedGeneration !== metadata?.generation) return 'old generation';
  if (paused) return undefined;
  const own = setsOf(state, owner);
  const [newest, ...more] = own
    .filter((set) => isSameTemplate(set.spec.template, spec.template))
    .toSorted((one, other) => (other.spec.replicas ?? 0) - (one.spec.replicas ?? 0));
  if (newest === undefined) return 'no ReplicaSet of the template';
  if (spec.template.spec?.containers[0]?.image === BROKEN) return undefined;
  const old = own.filter((set) => set !== newest && set.spec.replicas !== 0);
  if (old.length > 0 || more.some((set) => set.spec.replicas !== 0))
    return 'old ReplicaSets have pods';
  if (newest.spec.replicas !== replicas) return `the ReplicaSet has ${newest.spec.replicas}`;
  if ((newest.spec.minReadySeconds ?? 0) !== (spec.minReadySeconds ?? 0)) return 'minReadySeconds';
  const pods = podsOf(state).filter(isPodActive);
  const running = pods.filter((pod) => isControlledBy(pod, newest)).filter(isPodReady).length;
  if (running !== replicas) return `${running} pods`;
  const counts = [
    status.replicas,
    status.updatedReplicas,
    status.readyReplicas,
    status.availableReplicas,
  ];
  if (counts.some((count = 0) => count !== replicas)) return `status ${counts.join()}`;
  if ((status.unavailableReplicas ?? 0) !== 0) return 'unavailable replicas';
  const revision = newest.metadata.annotations?.[REVISION];
  if (metadata?.annotations?.[REVISION] !== revision) return 'revision';
  const revisions = own.map((set) => Number(set.metadata.annotations?.[REVISION]));
  if (Math.max(...revisions) !== Number(revision)) return 'the newest has not the last revision';
  const progress = status.conditions?.find(({ type }) => type === 'Progressing');
  if (progress?.reason !== 'NewReplicaSetAvailable') return `progress ${progress?.reason}`;
  if (own.length > 3) return 'old ReplicaSets are kept';
  return undefined;
}

export function deploymentsSettled(state: ClusterState): boolean {
  return state
    .list('apps/v1', 'deployments', NAMESPACE)
    .every((owner) => problem(state, owner) === undefined);
}

/** While a Deployment is only rolled out, it has never fewer available pods than it says, nor more replicas. */
function keepsBounds(): readonly Invariant[] {
  const started = new WeakSet<ClusterState>();
  return [
    {
      name: 'rollouts keep within maxUnavailable and maxSurge',
      always: (state) => {
        const owner = state.get('apps/v1', 'deployments', 'web', NAMESPACE);
        if (owner === undefined) return undefined;
        const { maxSurge, maxUnavailable } = owner.spec.strategy?.rollingUpdate ?? {};
        const asked = setsOf(state, owner).reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
        if (asked > SIZE + Number(maxSurge)) return `${asked} replicas are asked for`;
        const available = podsOf(state).filter(isPodActive).filter(isPodReady).length;
        if (available >= SIZE) started.add(state);
        const isLow = started.has(state) && available < SIZE - Number(maxUnavailable);
        return isLow ? `${available} pods are available` : undefined;
      },
    },
  ];
}

/** Kinds of faults after which no cache is older than another one. */
const WITH_NEW_CACHES: readonly FaultKind[] = ['crash', 'error', 'lost', 'repeat', 'webhook'];

/** As with kube-controller-manager, a cache of pods that is behind that of ReplicaSets does not show pods that still run. */
const neverBoth: Invariant = {
  name: 'pods of two templates do not run at the same time',
  always: (state) => {
    const running = podsOf(state).filter((pod) => !isPodEnded(pod));
    const images = new Set(running.map(({ spec }) => spec?.containers[0]?.image));
    return images.size > 1 ? `pods of ${[...images].join()} run` : undefined;
  },
};

function kindOf(variant: number): {
  readonly spec: Spec;
  readonly draws: readonly ((pick: Pick) => DrawnStep)[];
  readonly invariants: readonly Invariant[];
  readonly faults?: readonly FaultKind[];
} {
  if (variant % 4 === 3) {
    const spec: Spec = { strategy: { type: 'Recreate' } };
    return { spec, draws: ROLLOUTS, invariants: [neverBoth], faults: WITH_NEW_CACHES };
  }
  if (variant % 2 === 0) return { spec: {}, draws: ALL, invariants: leavesOthersAlone() };
  const rollingUpdate = { maxSurge: 1, maxUnavailable: variant % 3 === 0 ? 1 : 0 };
  const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
  return { spec: { strategy }, draws: ROLLOUTS, invariants: keepsBounds() };
}

export const deploymentSimulation: PartSimulation = {
  name: 'deployment',
  options: (variant) => {
    const { spec, draws, invariants, faults } = kindOf(variant);
    return {
      world: { environment: [plainKubelet, simulatedParts('replicaset', replicaSets)] },
      controllers: [simulatedParts('deployment', deployments)],
      faults,
      workload: randomWorkload({
        variant,
        first: draws === ALL ? [othersPod, create(spec)] : [create(spec)],
        draws,
        count: 5,
        last: [END],
        settled: deploymentsSettled,
      }),
      invariants: [
        ...invariants,
        { name: 'the pods are those of the template', eventually: deploymentsSettled },
      ],
    };
  },
};
