import type { UnstructuredObject } from '../../meta/object.ts';
import { builtInVersions, type BuiltInVersion } from '../../meta/surface/built-in-surface.ts';
import { NEWEST_MINOR, type KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import type { BootstrapObjects } from '../../server/registry/contract/kind-set.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** All but those of `kubernetesServiceObjects`; a server has those of the kinds that it serves. */
export function bootstrapObjects(minor: KubernetesMinor): readonly BootstrapObjects[] {
  return [
    { group: 'scheduling.k8s.io', resource: 'priorityclasses', objects: priorityClasses },
    { group: 'networking.k8s.io', resource: 'servicecidrs', objects: serviceRanges },
    {
      group: 'apiregistration.k8s.io',
      resource: 'apiservices',
      objects: (now) => apiServices(now, minor),
    },
    ...(['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const).map(
      (resource) => ({ group: RBAC, resource, objects: () => bootstrapPolicy(minor)[resource] }),
    ),
  ];
}

const PRIORITY_CLASSES = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

export function priorityClasses(): readonly UnstructuredObject[] {
  return PRIORITY_CLASSES.map(({ name, value, description }) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    description,
    kind: 'PriorityClass',
    metadata: { generation: 1, name },
    preemptionPolicy: 'PreemptLowerPriority',
    value,
  }));
}

/** The range of service addresses. */
export function serviceRanges(now: string): readonly UnstructuredObject[] {
  const condition = {
    lastTransitionTime: now,
    message: 'Kubernetes default Service CIDR is ready',
    reason: '',
    status: 'True',
    type: 'Ready',
  };
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'kubernetes' },
      spec: { cidrs: ['10.96.0.0/12'] },
      status: { conditions: [condition] },
    },
  ];
}

/** The APIServices of the groups that the server serves itself. */
export function apiServices(
  now: string,
  minor: KubernetesMinor = NEWEST_MINOR,
): readonly UnstructuredObject[] {
  const condition = {
    lastTransitionTime: now,
    message: 'Local APIServices are always available',
    reason: 'Local',
    status: 'True',
    type: 'Available',
  };
  return builtInVersions(minor)
    .filter(({ groupPriority }) => groupPriority !== undefined)
    .map((version) => apiService(version, condition));
}

function apiService(
  { group, version, groupPriority, versionPriority }: BuiltInVersion,
  condition: object,
): UnstructuredObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' },
      name: `${version}.${group}`,
    },
    spec: {
      ...(group === '' ? {} : { group }),
      groupPriorityMinimum: groupPriority,
      version,
      versionPriority,
    },
    status: { conditions: [condition] },
  };
}
