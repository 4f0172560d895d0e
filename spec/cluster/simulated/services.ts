import type { Client } from '../../../lib/client/rest/client.ts';
import { endpoints } from '../../../lib/cluster/endpoints/endpoints-controller.ts';
import { mirroredEndpointSlices } from '../../../lib/cluster/endpoints/slices/mirroring-controller.ts';
import { endpointSlices } from '../../../lib/cluster/endpoints/slices/slices-controller.ts';
import { isPodActive, isPodReady } from '../../../lib/cluster/ownership/pod-activity.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { EndpointSubset, Pod, Service } from '../../../lib/types/built-in/core-v1-kinds.ts';
import type { EndpointSlice } from '../../../lib/types/built-in/discovery-v1-kinds.ts';
import {
  nth,
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';
import { BROKEN, plainKubelet } from './plain-kubelet.ts';
import { NAMESPACE, pods, podsOf, template } from './replicas.ts';

const SERVICE = 'kubernetes.io/service-name';
const MANAGER = 'endpointslice.kubernetes.io/managed-by';
const PLACE = { namespace: NAMESPACE };
const NODE: KubernetesObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } };

const services = (user: Client) => user.resource('v1', 'services', PLACE);
const addresses = (user: Client) => user.resource('v1', 'endpoints', PLACE);
const slices = (user: Client) => user.resource('discovery.k8s.io/v1', 'endpointslices', PLACE);

const createService = (name: string, spec: object): DrawnStep => ({
  title: `create the service ${name}`,
  act: (user) =>
    services(user).create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    }),
});

const createPod = (pick: Pick): DrawnStep => {
  const app = pick(4) === 0 ? 'api' : 'web';
  const { metadata, spec } = template(app, pick(4) === 0 ? BROKEN : 'web:1');
  const name = `${app}-${pick(1_000_000)}`;
  return {
    title: `create the pod ${name}`,
    act: (user) =>
      pods(user).create({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec }),
  };
};

const onPod =
  (title: string, act: (user: Client, pod: Stored<Pod>) => Promise<unknown>) =>
  (pick: Pick): DrawnStep => {
    const n = pick(5);
    return {
      title: `${title} ${n}`,
      act: async (user) => {
        const pod = nth((await pods(user).list()).items.filter(isPodActive), n);
        if (pod !== undefined) await act(user, pod);
      },
    };
  };

const setStatus =
  (status: object) =>
  (user: Client, { metadata: { name } }: Stored<Pod>) =>
    pods(user).patch(name, { status }, { type: 'strategic', subresource: 'status' });
const condition = (status: string) => ({ conditions: [{ type: 'Ready', status }] });

const POD_STEPS = [
  createPod,
  createPod,
  createPod,
  onPod('delete pod', (user, { metadata }) => pods(user).delete(metadata.name)),
  onPod('fail pod', setStatus({ phase: 'Failed' })),
  onPod('not ready: pod', setStatus(condition('False'))),
  onPod('ready: pod', setStatus(condition('True'))),
  onPod('swap the label of pod', (user, { metadata }) => {
    const app = metadata.labels?.['app'] === 'web' ? 'api' : 'web';
    return pods(user).patch(metadata.name, { metadata: { labels: { app } } });
  }),
];

const changeService =
  (spec: (pick: Pick) => object) =>
  (pick: Pick): DrawnStep => {
    const given = spec(pick);
    return {
      title: `change the service web: ${JSON.stringify(given)}`,
      act: (user) => services(user).patch('web', { spec: given }),
    };
  };

const again = (): DrawnStep => ({
  title: 'delete the service web and create it again',
  act: async (user) => {
    await services(user).delete('web');
    await createService('web', { selector: { app: 'web' } }).act(user);
  },
});

const SERVICE_STEPS = [
  again,
  changeService((pick) => ({ selector: { app: pick(2) === 0 ? 'api' : 'web' } })),
  changeService((pick) => ({ ports: [{ port: 80, targetPort: 8080 + pick(2) }] })),
  changeService((pick) => ({ publishNotReadyAddresses: pick(2) === 0 })),
  (): DrawnStep => ({
    title: 'delete what the controllers have made for web',
    act: async (user) => {
      await addresses(user).delete('web', { ignoreNotFound: true });
      for (const { metadata } of (await slices(user).list()).items) {
        if (metadata.labels?.[SERVICE] === 'web' && metadata.name !== 'of-user') {
          await slices(user).delete(metadata.name);
        }
      }
    },
  }),
  (): DrawnStep => ({
    title: 'empty a slice of web',
    act: async (user) => {
      const { items } = await slices(user).list({ labelSelector: `${SERVICE}=web` });
      const [first] = items.filter(({ metadata }) => metadata.name !== 'of-user');
      if (first !== undefined) await slices(user).patch(first.metadata.name, { endpoints: [] });
    },
  }),
  (): DrawnStep => ({
    title: 'empty the endpoints of web',
    act: async (user) => {
      const { items } = await addresses(user).list();
      const isThere = items.some(({ metadata }) => metadata.name === 'web');
      if (isThere) await addresses(user).patch('web', { subsets: null });
    },
  }),
];

/** Of users, who have them for reasons of their own. */
const OWN: readonly DrawnStep[] = [
  createService('by-hand', {}),
  {
    title: 'write endpoints and a slice by hand',
    act: async (user) => {
      const [ip, port] = ['192.0.2.1', 80];
      await addresses(user).create({
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'by-hand' },
        subsets: [{ addresses: [{ ip }], ports: [{ port }] }],
      });
      await slices(user).create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'of-user', labels: { [SERVICE]: 'web', [MANAGER]: 'user' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [ip] }],
        ports: [{ port }],
      });
    },
  },
];

function leavesHandmade(): Invariant {
  const seen = new WeakMap<ClusterState, Map<string, string | undefined>>();
  return {
    name: 'endpoints and slices of users are left alone',
    always: (state) => {
      const known = seen.get(state) ?? new Map<string, string | undefined>();
      seen.set(state, known);
      const all = [
        state.get('v1', 'endpoints', 'by-hand', NAMESPACE),
        state.get('discovery.k8s.io/v1', 'endpointslices', 'of-user', NAMESPACE),
      ];
      for (const [at, object] of all.entries()) {
        const key = `${at}`;
        const version = object?.metadata?.resourceVersion;
        if (known.get(key) !== undefined && known.get(key) !== version) return 'one was written';
        known.set(key, version);
      }
      return undefined;
    },
  };
}

function selected({ spec }: Service, state: ClusterState): readonly Stored<Pod>[] {
  return podsOf(state).filter(
    (pod) =>
      isPodActive(pod) &&
      pod.status?.podIP !== undefined &&
      pod.metadata.labels?.['app'] === spec?.selector?.['app'],
  );
}

function portOf({ spec }: Service): number | undefined {
  const [first] = spec?.ports ?? [];
  return Number(first?.targetPort ?? first?.port);
}

function selecting(state: ClusterState): readonly Service[] {
  return state
    .list('v1', 'services', NAMESPACE)
    .filter(({ spec }) => spec?.selector?.['app'] !== undefined);
}

const texts = (all: readonly (string | undefined)[]): string =>
  all
    .map(String)
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join();

function subsetsText(subsets: readonly EndpointSubset[] = []): string {
  const lines = subsets.flatMap(({ addresses: ready = [], notReadyAddresses = [], ports = [] }) => {
    const at = ports.map(({ port }) => port).join();
    return [
      ...ready.map(({ ip }) => `${ip}:${at}`),
      ...notReadyAddresses.map(({ ip }) => `(${ip}:${at})`),
    ];
  });
  return texts(lines);
}

function endpointsSettled(state: ClusterState): boolean {
  const wanted = selecting(state).every((service) => {
    const name = service.metadata?.name ?? '';
    const found = state.get('v1', 'endpoints', name, NAMESPACE);
    const lines = selected(service, state).map((pod) => {
      const text = `${pod.status?.podIP}:${portOf(service)}`;
      const isListed = service.spec?.publishNotReadyAddresses === true || isPodReady(pod);
      return isListed ? text : `(${text})`;
    });
    return found !== undefined && subsetsText(found.subsets) === texts(lines);
  });
  const names = state.list('v1', 'services', NAMESPACE).map(({ metadata }) => metadata?.name);
  const left = state
    .list('v1', 'endpoints', NAMESPACE)
    .filter(({ metadata }) => !names.includes(metadata?.name));
  return wanted && left.length === 0;
}

function slicesOf(state: ClusterState, service: string, manager: string): readonly EndpointSlice[] {
  return state
    .list('discovery.k8s.io/v1', 'endpointslices', NAMESPACE)
    .filter(
      ({ metadata: { labels } = {} }) =>
        labels?.[SERVICE] === service && labels[MANAGER] === manager,
    );
}

function sliceLines(all: readonly EndpointSlice[]): string {
  const lines = all.flatMap(({ endpoints: items, ports }) =>
    (items ?? []).map(({ addresses: ips, conditions, targetRef }) => {
      const at = (ports ?? []).map(({ port }) => port).join();
      const { ready, serving } = conditions ?? {};
      return `${ips.join()}:${at} ${ready} ${serving} ${targetRef?.name}`;
    }),
  );
  return texts(lines);
}

function slicesSettled(state: ClusterState): boolean {
  return selecting(state).every((service) => {
    const name = service.metadata?.name ?? '';
    const found = slicesOf(state, name, 'endpointslice-controller.k8s.io');
    const lines = selected(service, state).map((pod) => {
      const isReady = isPodReady(pod);
      const isListed = service.spec?.publishNotReadyAddresses === true || isReady;
      return `${pod.status?.podIP}:${portOf(service)} ${isListed} ${isReady} ${pod.metadata.name}`;
    });
    const owners = found.flatMap(({ metadata }) => metadata?.ownerReferences ?? []);
    const isOwned = owners.every(({ uid }) => uid === service.metadata?.uid);
    return isOwned && found.length > 0 && sliceLines(found) === texts(lines);
  });
}

const FIRST = [
  createService('web', { selector: { app: 'web' } }),
  createService('api', { selector: { app: 'api' } }),
  ...OWN,
];

function selectingSimulation(
  name: string,
  make: typeof endpoints,
  settled: (state: ClusterState) => boolean,
): PartSimulation {
  return {
    name,
    options: (variant) => ({
      world: { objects: [NODE], environment: [plainKubelet] },
      controllers: [simulatedParts(name, make)],
      workload: randomWorkload({
        variant,
        first: FIRST,
        draws: [...POD_STEPS, ...SERVICE_STEPS],
        count: 10,
        settled,
      }),
      invariants: [
        leavesHandmade(),
        { name: 'each service has the pods that it selects', eventually: settled },
      ],
    }),
  };
}

const HAND = 'hand';

/** Addresses of one or two ports, by hand. */
const writeByHand = (pick: Pick): DrawnStep => {
  const subsets = Array.from({ length: pick(3) }, (_, at) => ({
    addresses: Array.from({ length: 1 + pick(3) }, (__, n) => ({
      ip: `192.0.2.${at * 10 + n + 1}`,
    })),
    notReadyAddresses: pick(3) === 0 ? [{ ip: `192.0.2.${100 + at}` }] : [],
    ports: [{ port: 80 + at }],
  }));
  return {
    title: `write ${subsets.length} subsets by hand`,
    act: async (user) => {
      const { items } = await addresses(user).list();
      const isThere = items.some(({ metadata }) => metadata.name === HAND);
      const metadata = { name: HAND };
      if (isThere) await addresses(user).patch(HAND, { subsets });
      else await addresses(user).create({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets });
    },
  };
};

const toggle =
  (title: string, act: (user: Client, on: boolean) => Promise<unknown>) =>
  (pick: Pick): DrawnStep => {
    const on = pick(2) === 0;
    return { title: `${title}: ${on}`, act: (user) => act(user, on) };
  };

const MIRROR_STEPS = [
  writeByHand,
  writeByHand,
  writeByHand,
  toggle('exclude the endpoints', async (user, on) => {
    const { items } = await addresses(user).list();
    const label = { 'endpointslice.kubernetes.io/skip-mirror': on ? 'true' : null };
    if (items.some(({ metadata }) => metadata.name === HAND)) {
      await addresses(user).patch(HAND, { metadata: { labels: label } });
    }
  }),
  toggle('the service has a selector', async (user, on) => {
    await services(user).patch(HAND, { spec: { selector: on ? { app: 'web' } : null } });
  }),
  (): DrawnStep => ({
    title: 'delete the endpoints',
    act: (user) => addresses(user).delete(HAND, { ignoreNotFound: true }),
  }),
  (): DrawnStep => ({
    title: 'delete the service and create it again',
    act: async (user) => {
      await services(user).delete(HAND);
      await createService(HAND, {}).act(user);
    },
  }),
  (): DrawnStep => ({
    title: 'delete the slices',
    act: async (user) => {
      for (const { metadata } of (await slices(user).list()).items) {
        if (metadata.labels?.[SERVICE] === HAND) await slices(user).delete(metadata.name);
      }
    },
  }),
];

function mirrorSettled(state: ClusterState): boolean {
  const found = slicesOf(state, HAND, 'endpointslicemirroring-controller.k8s.io');
  const source = state.get('v1', 'endpoints', HAND, NAMESPACE);
  const service = state.get('v1', 'services', HAND, NAMESPACE);
  const isExcluded =
    source?.metadata?.labels?.['endpointslice.kubernetes.io/skip-mirror'] === 'true';
  const isMirrored = service !== undefined && service.spec?.selector === undefined && !isExcluded;
  if (!isMirrored || source === undefined) return found.length === 0;
  const lines = found.flatMap(({ endpoints: items, ports }) =>
    (items ?? []).map(({ addresses: [ip], conditions }) => {
      const text = `${ip}:${(ports ?? []).map(({ port }) => port).join()}`;
      return conditions?.ready === true ? text : `(${text})`;
    }),
  );
  return texts(lines) === subsetsText(source.subsets);
}

const mirroring: PartSimulation = {
  name: 'endpointslice-mirroring',
  options: (variant) => ({
    world: { environment: [simulatedParts('endpoints', endpoints)] },
    controllers: [simulatedParts('endpointslice-mirroring', mirroredEndpointSlices)],
    workload: randomWorkload({
      variant,
      first: [createService(HAND, {})],
      draws: MIRROR_STEPS,
      count: 10,
      settled: mirrorSettled,
    }),
    invariants: [
      { name: 'the slices have the addresses of the endpoints', eventually: mirrorSettled },
    ],
  }),
};

export const serviceSimulations: readonly PartSimulation[] = [
  selectingSimulation('endpoint', endpoints, endpointsSettled),
  selectingSimulation('endpointslice', endpointSlices, slicesSettled),
  mirroring,
];
