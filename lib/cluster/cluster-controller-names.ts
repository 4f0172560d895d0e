import { ListwatchError } from '../kernel/failure/errors.ts';

/**
 * The controllers of a cluster, in the order in which they start.
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
] as const;

/** @experimental */
export type ClusterController = (typeof CLUSTER_CONTROLLERS)[number];

/** Which controllers work in a cluster. */
export type ControllerSelection = 'all' | 'none' | readonly ClusterController[];

/** The selected controllers, each once. @throws {ListwatchError} code INVALID_OPTION naming one that does not exist. */
export function selectedControllers(selection: unknown = 'all'): ReadonlySet<ClusterController> {
  if (selection === 'all') return new Set(CLUSTER_CONTROLLERS);
  if (selection === 'none') return new Set();
  if (!Array.isArray(selection)) throw refusal(selection);
  return new Set(selection.map(controllerNamed));
}

function controllerNamed(name: unknown): ClusterController {
  const known = CLUSTER_CONTROLLERS.find((one) => one === name);
  if (known !== undefined) return known;
  throw refusal(name);
}

function refusal(given: unknown): ListwatchError {
  const names = CLUSTER_CONTROLLERS.join(', ');
  const text = `controllers has ${JSON.stringify(given)}: use all, none, or some of ${names}`;
  return new ListwatchError('INVALID_OPTION', text);
}
