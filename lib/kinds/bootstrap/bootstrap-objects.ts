import type { UnstructuredObject } from '../../meta/object.ts';
import type { JsonRecord } from '../../server/registry/rules/json-value.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { apiServices, priorityClasses, serviceRanges } from './system-objects.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** A resource with objects that a kube-apiserver creates at its start and clients look at. */
export interface BootstrapObjects {
  readonly group: string;
  readonly resource: string;
  /** The objects without what `seededObject` adds; `now` is the time of the start, as in `creationTimestamp`. */
  readonly objects: (now: string) => readonly UnstructuredObject[];
  /** The fields in the managed fields of each. @defaultValue as `seededObject` reads them from the object */
  readonly fields?: JsonRecord | undefined;
}

/** All but those of `kubernetesServiceObjects`; a server has those of the kinds that it serves. */
export const BOOTSTRAP_OBJECTS: readonly BootstrapObjects[] = [
  { group: 'scheduling.k8s.io', resource: 'priorityclasses', objects: priorityClasses },
  { group: 'networking.k8s.io', resource: 'servicecidrs', objects: serviceRanges },
  { group: 'apiregistration.k8s.io', resource: 'apiservices', objects: apiServices },
  ...(['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const).map(
    (resource) => ({ group: RBAC, resource, objects: () => bootstrapPolicy()[resource] }),
  ),
];
