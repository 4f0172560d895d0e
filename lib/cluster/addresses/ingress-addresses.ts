import { controller } from '../../controller/builder/controller-builder.ts';
import type { Ingress, IngressClass } from '../../types/built-in/networking-v1-kinds.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';

const API = 'networking.k8s.io/v1';
/** The controller of classes whose ingresses get the address. */
const OWN_CONTROLLER = 'listwatch.dev/ingress';
/** How ingresses named their class before `spec.ingressClassName`. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
/** One address for all, as the balancer in front of an ingress controller has: of 198.19.0.0/16, which is reserved for benchmarks. */
export const INGRESS_ADDRESS = '198.19.0.1';

export function classOf({ metadata, spec }: Ingress): string {
  return spec?.ingressClassName ?? metadata?.annotations?.[CLASS_ANNOTATION] ?? '';
}

/**
 * Whether an ingress gets the address: one that has none, and that no controller of a program is to serve. If its class is there, it is
 * served by the controller that the class names; charts that name a class such as `nginx` do not bring it.
 */
export function wantsAddress(ingress: Ingress, itsClass: IngressClass | undefined): boolean {
  const { metadata, status } = ingress;
  if (metadata?.deletionTimestamp !== undefined) return false;
  if ((status?.loadBalancer?.ingress ?? []).length > 0) return false;
  return itsClass === undefined || itsClass.spec?.controller === OWN_CONTROLLER;
}

/**
 * A stand-in for an ingress controller: it writes an address that nothing answers at into the status of ingresses. Those whose class is in
 * the cluster are left to the controller of the class, unless that is `listwatch.dev/ingress`.
 */
export function ingressAddresses({
  client,
  informers,
  runtime,
  logger,
}: WorkloadParts): ClusterPart {
  const BY_CLASS = 'class';
  const made = controller(client, API, 'ingresses', {
    name: 'ingress-addresses',
    informers,
    runtime,
    logger,
  })
    .indexers({ [BY_CLASS]: (ingress) => [classOf(ingress)] })
    .watches(API, 'ingressclasses', ({ metadata }, { byIndex }) => byIndex(BY_CLASS, metadata.name))
    .reconcile(async (ingress, { lister }) => {
      const itsClass = lister(API, 'ingressclasses').get(classOf(ingress));
      if (!wantsAddress(ingress, itsClass)) return {};
      return { status: { loadBalancer: { ingress: [{ ip: INGRESS_ADDRESS }] } } };
    });
  return runningController(made, { logger });
}
