import type { Client } from '../../../lib/client/rest/client.ts';
import {
  INGRESS_ADDRESS,
  ingressAddresses,
} from '../../../lib/cluster/addresses/ingress-addresses.ts';
import { loadBalancers } from '../../../lib/cluster/addresses/load-balancers.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { Service, ServiceSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';
import {
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';

const NAMESPACE = 'default';
const PLACE = { namespace: NAMESPACE };
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const NETWORKING = 'networking.k8s.io/v1';

const services = (user: Client) => user.resource('v1', 'services', PLACE);
const ingresses = (user: Client) => user.resource(NETWORKING, 'ingresses', PLACE);
const classes = (user: Client) => user.resource(NETWORKING, 'ingressclasses');

async function present(
  list: {
    list(): Promise<{
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    }>;
  },
  name: string,
): Promise<boolean> {
  return (await list.list()).items.some(({ metadata }) => metadata.name === name);
}

/** A service of its number with a spec; it is made if it is not there. */
const putService = (pick: Pick): DrawnStep => {
  const name = `shop-${pick(3)}`;
  const specs: readonly ServiceSpec[] = [
    { type: 'LoadBalancer' },
    { type: 'LoadBalancer' },
    { type: 'ClusterIP' },
    { type: 'NodePort' },
  ];
  const spec = specs[pick(4)];
  return {
    title: `${name} is ${JSON.stringify(spec)}`,
    act: async (user) => {
      if (await present(services(user), name)) await services(user).patch(name, { spec });
      else {
        await services(user).create({
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name },
          spec: { ports: [{ port: 80 }], ...spec },
        });
      }
    },
  };
};

const deleteService = (pick: Pick): DrawnStep => {
  const name = `shop-${pick(3)}`;
  return {
    title: `delete ${name}`,
    act: (user) => services(user).delete(name, { ignoreNotFound: true }),
  };
};

const ofOthers: DrawnStep = {
  title: 'create a service for another load balancer',
  act: (user) =>
    services(user).create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'others' },
      spec: { ports: [{ port: 80 }], type: 'LoadBalancer', loadBalancerClass: 'example.com/own' },
    }),
};

function addressesOf({ status }: Service): readonly string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}

function balanced(state: ClusterState): boolean {
  return state.list('v1', 'services', NAMESPACE).every((service) => {
    const { metadata, spec } = service;
    if (metadata?.name === 'kubernetes') return true;
    const isWanted = spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;
    const isHeld = metadata?.finalizers?.includes(FINALIZER) === true;
    return isHeld === isWanted && addressesOf(service).length === (isWanted ? 1 : 0);
  });
}

const oneEach: Invariant = {
  name: 'each address is of one service',
  eventually: (state) => {
    const all = state.list('v1', 'services', NAMESPACE).flatMap(addressesOf);
    return new Set(all).size === all.length;
  },
};

const othersAlone: Invariant = {
  name: 'services of other load balancers are left alone',
  always: (state) => {
    const found = state.get('v1', 'services', 'others', NAMESPACE);
    const isTouched =
      found?.metadata?.finalizers !== undefined || addressesOf(found ?? {}).length > 0;
    return found !== undefined && isTouched ? 'one was written' : undefined;
  },
};

const loadBalancerSimulation: PartSimulation = {
  name: 'service-load-balancer',
  options: (variant) => ({
    controllers: [simulatedParts('service-load-balancer', loadBalancers)],
    workload: randomWorkload({
      variant,
      first: [ofOthers],
      draws: [putService, putService, putService, deleteService],
      count: 10,
      settled: balanced,
    }),
    invariants: [
      oneEach,
      othersAlone,
      { name: 'load balancers have an address, others have none', eventually: balanced },
    ],
  }),
};

const NAMES = ['', 'nginx', 'own'];

const putIngress = (pick: Pick): DrawnStep => {
  const name = `site-${pick(3)}`;
  const itsClass = NAMES[pick(3)];
  const isDeleted = pick(4) === 0;
  return {
    title: `${isDeleted ? 'delete' : 'write'} ${name} with the class "${itsClass}"`,
    act: async (user) => {
      if (isDeleted) {
        await ingresses(user).delete(name, { ignoreNotFound: true });
        return;
      }
      const ingressClassName = itsClass === '' ? undefined : itsClass;
      const spec = {
        ingressClassName,
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      };
      if (await present(ingresses(user), name)) {
        await ingresses(user).patch(name, { spec: { ingressClassName: ingressClassName ?? null } });
        return;
      }
      await ingresses(user).create({
        apiVersion: NETWORKING,
        kind: 'Ingress',
        metadata: { name },
        spec,
      });
    },
  };
};

const putClass = (pick: Pick): DrawnStep => {
  const name = NAMES[1 + pick(2)] ?? '';
  const controller = name === 'own' ? 'listwatch.dev/ingress' : 'k8s.io/ingress-nginx';
  return {
    title: `create or delete the class ${name}`,
    act: async (user) => {
      if (await present(classes(user), name)) await classes(user).delete(name);
      else {
        const spec = { controller };
        await classes(user).create({
          apiVersion: NETWORKING,
          kind: 'IngressClass',
          metadata: { name },
          spec,
        });
      }
    },
  };
};

/** One that has the address keeps it. */
function addressed(state: ClusterState): boolean {
  return state.list(NETWORKING, 'ingresses', NAMESPACE).every(({ spec, status }) => {
    const points = status?.loadBalancer?.ingress ?? [];
    if (points.length > 0) return points.length === 1 && points[0]?.ip === INGRESS_ADDRESS;
    const itsClass = state.get(NETWORKING, 'ingressclasses', spec?.ingressClassName ?? '');
    return itsClass?.spec?.controller === 'k8s.io/ingress-nginx';
  });
}

const ingressSimulation: PartSimulation = {
  name: 'ingress-address',
  options: (variant) => ({
    controllers: [simulatedParts('ingress-address', ingressAddresses)],
    workload: randomWorkload({
      variant,
      first: [],
      draws: [putIngress, putIngress, putIngress, putClass],
      count: 10,
      settled: addressed,
    }),
    invariants: [
      { name: 'ingresses that no other controller serves have the address', eventually: addressed },
    ],
  }),
};

export const addressSimulations: readonly PartSimulation[] = [
  loadBalancerSimulation,
  ingressSimulation,
];
