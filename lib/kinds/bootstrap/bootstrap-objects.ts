import type { BootstrapObjects } from '../../server/registry/contract/kind-set.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { apiServices, priorityClasses, serviceRanges } from './system-objects.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** All but those of `kubernetesServiceObjects`; a server has those of the kinds that it serves. */
export const BOOTSTRAP_OBJECTS: readonly BootstrapObjects[] = [
  { group: 'scheduling.k8s.io', resource: 'priorityclasses', objects: priorityClasses },
  { group: 'networking.k8s.io', resource: 'servicecidrs', objects: serviceRanges },
  { group: 'apiregistration.k8s.io', resource: 'apiservices', objects: apiServices },
  ...(['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const).map(
    (resource) => ({ group: RBAC, resource, objects: () => bootstrapPolicy()[resource] }),
  ),
];
