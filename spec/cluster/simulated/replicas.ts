import type { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import {
  replicaSets,
  replicationControllers,
} from '../../../lib/cluster/replicas/replica-controller.ts';
import {
  isControlledBy,
  isPodActive,
  isPodReady,
} from '../../../lib/cluster/ownership/pod-activity.ts';
import { controllerOf } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { Pod, PodTemplateSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';
import {
  nth,
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type MakePart,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';
import { BROKEN, plainKubelet } from './plain-kubelet.ts';

export const NAMESPACE = 'default';
const OTHERS_POD = 'of-another-controller';

/** The common parts of the two kinds. */
interface Owner {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly fullyLabeledReplicas?: number;
    readonly observedGeneration?: number;
  };
}

interface Kind {
  readonly name: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly kind: string;
  readonly make: MakePart;
  readonly selector: (app: string) => object;
}

export function template(app: string, image: string): PodTemplateSpec {
  return {
    metadata: { labels: { app } },
    spec: {
      nodeName: 'node-1',
      terminationGracePeriodSeconds: 2,
      containers: [{ name: 'main', image }],
    },
  };
}

export function pods(user: Client): ResourceClient<Pod> {
  return user.resource('v1', 'pods', { namespace: NAMESPACE });
}

/** Those of the state that are stored. */
export function podsOf(state: ClusterState): readonly Stored<Pod>[] {
  return state.list('v1', 'pods', NAMESPACE) as readonly Stored<Pod>[];
}

/** The operations of users and nodes on pods of an app. */
export function podSteps(app: string): readonly ((pick: Pick) => DrawnStep)[] {
  const onOne =
    (title: string, act: (user: Client, name: string) => Promise<unknown>) =>
    (pick: Pick): DrawnStep => {
      const n = pick(4);
      return {
        title: `${title} ${n} of ${app}`,
        act: async (user) => {
          const { items } = await pods(user).list({ labelSelector: `app=${app}` });
          const name = nth(items.filter(isPodActive), n)?.metadata.name;
          if (name !== undefined && name !== OTHERS_POD) await act(user, name);
        },
      };
    };
  return [
    onOne('delete pod', (user, name) => pods(user).delete(name)),
    onOne('fail pod', (user, name) =>
      pods(user).patch(name, { status: { phase: 'Failed' } }, { subresource: 'status' }),
    ),
    onOne('take the labels from pod', (user, name) =>
      pods(user).patch(name, { metadata: { labels: { app: 'other' } } }),
    ),
    () => ({
      title: `give the pods without owner to ${app}`,
      act: async (user) => {
        const { items } = await pods(user).list({ labelSelector: 'app=other' });
        for (const { metadata } of items) {
          await pods(user).patch(metadata.name, { metadata: { labels: { app } } });
        }
      },
    }),
    (pick) => {
      const { metadata, spec } = template(app, 'bare:1');
      const name = `bare-${app}-${pick(1_000_000)}`;
      return {
        title: `create a bare pod ${name}`,
        act: (user) =>
          pods(user).create({
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { ...metadata, name },
            spec,
          }),
      };
    },
  ];
}

const KINDS: readonly Kind[] = [
  {
    name: 'replicaset',
    apiVersion: 'apps/v1',
    resource: 'replicasets',
    kind: 'ReplicaSet',
    make: replicaSets,
    selector: (app) => ({ matchLabels: { app } }),
  },
  {
    name: 'replicationcontroller',
    apiVersion: 'v1',
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    make: replicationControllers,
    selector: (app) => ({ app }),
  },
];

function steps({ apiVersion, resource, kind, selector }: Kind) {
  const owners = (user: Client) => user.resource(apiVersion, resource, { namespace: NAMESPACE });
  const create = (app: string, replicas: number): DrawnStep => ({
    title: `create ${app} with ${replicas}`,
    act: (user) =>
      owners(user).create({
        apiVersion,
        kind,
        metadata: { name: app },
        spec: { replicas, selector: selector(app), template: template(app, `${app}:1`) },
      }),
  });
  const patch =
    (title: string, spec: (pick: Pick) => object) =>
    (pick: Pick): DrawnStep => {
      const given = spec(pick);
      return {
        title: `${title} ${JSON.stringify(given)}`,
        act: (user) => owners(user).patch('web', { spec: given }),
      };
    };
  const again = (pick: Pick): DrawnStep => {
    const propagationPolicy = pick(2) === 0 ? 'Orphan' : 'Background';
    const replicas = pick(4);
    return {
      title: `delete web (${propagationPolicy}) and create it again with ${replicas}`,
      act: async (user) => {
        await owners(user).delete('web', { propagationPolicy });
        await whenGone(() => owners(user).list(), 'web');
        await create('web', replicas).act(user);
      },
    };
  };
  const image = (pick: Pick): object => ({
    template: template('web', pick(4) === 0 ? BROKEN : `web:${pick(3)}`),
  });
  const scale = patch('scale', (pick) => ({ replicas: pick(5) }));
  const draws = [
    scale,
    scale,
    patch('change', image),
    patch('change', (pick) => ({ minReadySeconds: pick(2) * 5 })),
    again,
    ...podSteps('web'),
    ...podSteps('web'),
  ];
  return { create, draws };
}

/** Reads again until no object has this name. */
async function whenGone(
  list: () => Promise<{
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  }>,
  name: string,
): Promise<void> {
  for (;;) {
    const { items } = await list();
    if (items.every(({ metadata }) => metadata.name !== name)) return;
  }
}

/** A pod that another controller has, with the labels of the app. */
export const othersPod: DrawnStep = {
  title: 'create a pod that another controller has',
  act: async (user) => {
    const { metadata: owner } = await user
      .resource('v1', 'configmaps', { namespace: NAMESPACE })
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'another' } });
    const { metadata, spec } = template('web', 'other:1');
    const { name, uid } = owner;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
    await pods(user).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: OTHERS_POD, ownerReferences: [reference] },
      spec,
    });
  },
};

/** The pod of another controller stays as it is, and no pod goes from one controller to another. */
export function leavesOthersAlone(): readonly Invariant[] {
  const controllers = new WeakMap<ClusterState, Map<string, string>>();
  return [
    {
      name: 'pods of other controllers are left alone',
      always: (state) => {
        const known = controllers.get(state) ?? new Map<string, string>();
        controllers.set(state, known);
        if (known.has('other') && state.get('v1', 'pods', OTHERS_POD, NAMESPACE) === undefined) {
          return 'the pod of another controller is gone';
        }
        for (const pod of podsOf(state)) {
          const { name, uid, deletionTimestamp } = pod.metadata;
          const before = known.get(uid);
          const now = controllerOf(pod)?.uid ?? '';
          if ((before ?? '') !== '' && now !== '' && before !== now) {
            return `the pod ${name} has another controller`;
          }
          known.set(uid, now);
          if (name !== OTHERS_POD) continue;
          known.set('other', '');
          if (deletionTimestamp !== undefined) return `the pod ${name} is deleted`;
        }
        return undefined;
      },
    },
  ];
}

/** Why an owner has not what it should have; undefined if it has. */
function problem(owner: Owner, app: string, all: readonly Stored<Pod>[]): string | undefined {
  const active = all.filter(isPodActive);
  const own = active.filter((pod) => isControlledBy(pod, owner));
  if (own.some(({ metadata }) => metadata.labels?.['app'] !== app))
    return 'has pods it does not select';
  const orphans = active.filter(
    (pod) => pod.metadata.labels?.['app'] === app && controllerOf(pod) === undefined,
  );
  if (orphans.length > 0) return 'orphans are left';
  const { replicas = 1 } = owner.spec ?? {};
  if (own.length !== replicas) return `${own.length} pods, wanted ${replicas}`;
  const ready = own.filter(isPodReady).length;
  const { status = {}, metadata } = owner;
  const counts = [
    status.replicas,
    status.fullyLabeledReplicas,
    status.readyReplicas,
    status.availableReplicas,
  ];
  const wanted = [replicas, own.length, ready, ready];
  if (counts.some((count = 0, at) => count !== wanted[at]))
    return `status ${counts.join()}, wanted ${wanted.join()}`;
  return status.observedGeneration === metadata.generation ? undefined : 'old generation';
}

function simulationOf(kind: Kind): PartSimulation {
  const { apiVersion, resource, make, name } = kind;
  const { create, draws } = steps(kind);
  const settled = (state: ClusterState): boolean =>
    state
      .list<Owner & object>(apiVersion, resource, NAMESPACE)
      .every((owner) => problem(owner, owner.metadata.name, podsOf(state)) === undefined);
  return {
    name,
    options: (variant): SimulationOptions => ({
      world: { environment: [plainKubelet] },
      controllers: [simulatedParts(name, make)],
      workload: randomWorkload({
        variant,
        first: [othersPod, create('web', 2), create('api', 1)],
        draws,
        count: 6,
        settled,
      }),
      invariants: [
        ...leavesOthersAlone(),
        { name: 'each owner has its pods, and its status says so', eventually: settled },
      ],
    }),
  };
}

export const replicaSimulations: readonly PartSimulation[] = KINDS.map(simulationOf);
