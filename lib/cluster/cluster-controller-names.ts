import { ListwatchError } from '../kernel/failure/errors.ts';
import { nearName } from '../kernel/text/near-name.ts';

/**
 * The controllers of a cluster, in the order in which they start. Those from `clusterrole-aggregation` on make workloads run; the others
 * are its upkeep.
 *
 * @experimental
 */
export const CLUSTER_CONTROLLERS = [
  'service-account',
  'namespace',
  'garbage-collector',
  'resourcequota',
  'pvc-protection',
  'pv-protection',
  'volumeattributesclass-protection',
  'clusterrole-aggregation',
  'replicationcontroller',
  'replicaset',
  'deployment',
  'endpoint',
  'endpointslice',
  'endpointslice-mirroring',
  'service-load-balancer',
  'ingress-address',
  'node-lifecycle',
  'taint-eviction',
  'pod-garbage-collector',
  'scheduler',
  'kubelet',
] as const;

/** @experimental */
export type ClusterController = (typeof CLUSTER_CONTROLLERS)[number];

const FIRST_OF_WORKLOADS = CLUSTER_CONTROLLERS.indexOf('clusterrole-aggregation');
const UPKEEP: readonly ClusterController[] = CLUSTER_CONTROLLERS.slice(0, FIRST_OF_WORKLOADS);

/** Those that make workloads run. */
export const WORKLOAD_CONTROLLERS: readonly ClusterController[] =
  CLUSTER_CONTROLLERS.slice(FIRST_OF_WORKLOADS);

/**
 * Which controllers work in a cluster. `all` is the upkeep of a cluster, whose pods are only objects; `workloads` also makes its
 * workloads run.
 */
export type ControllerSelection = 'all' | 'workloads' | 'none' | readonly ClusterController[];

const SELECTIONS: Readonly<Record<string, readonly ClusterController[]>> = {
  all: UPKEEP,
  workloads: CLUSTER_CONTROLLERS,
  none: [],
};

/** The selected controllers, each once. @throws {ListwatchError} code INVALID_OPTION naming one that does not exist. */
export function selectedControllers(selection: unknown = 'all'): ReadonlySet<ClusterController> {
  if (typeof selection === 'string' && Object.hasOwn(SELECTIONS, selection)) {
    return new Set(SELECTIONS[selection]);
  }
  if (!Array.isArray(selection)) throw refusal(selection);
  return new Set(selection.map(controllerNamed));
}

function controllerNamed(name: unknown): ClusterController {
  const known = CLUSTER_CONTROLLERS.find((one) => one === name);
  if (known !== undefined) return known;
  throw refusal(name);
}

function refusal(given: unknown): ListwatchError {
  const near = typeof given === 'string' ? nearName(given, CLUSTER_CONTROLLERS) : undefined;
  const example = near ?? CLUSTER_CONTROLLERS[0];
  const text = `controllers has ${JSON.stringify(given)}: use all, workloads, none, or a list of names such as ${example}; CLUSTER_CONTROLLERS of listwatch/cluster has them all`;
  return new ListwatchError('INVALID_OPTION', text);
}
