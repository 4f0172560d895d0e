import { parseApiVersion } from '../../../meta/resource.ts';

/** Kinds of the core group, and others as `Kind.group`. */
const ORDER: readonly (readonly string[])[] = [
  ['Namespace'],
  ['CustomResourceDefinition.apiextensions.k8s.io'],
  [
    'PriorityClass.scheduling.k8s.io',
    'RuntimeClass.node.k8s.io',
    'StorageClass.storage.k8s.io',
    'IngressClass.networking.k8s.io',
    'NetworkPolicy.networking.k8s.io',
    'PodDisruptionBudget.policy',
    'ResourceQuota',
    'LimitRange',
  ],
  ['ServiceAccount'],
  ['ClusterRole.rbac.authorization.k8s.io', 'Role.rbac.authorization.k8s.io'],
  ['ClusterRoleBinding.rbac.authorization.k8s.io', 'RoleBinding.rbac.authorization.k8s.io'],
  ['ConfigMap', 'Secret', 'PersistentVolume', 'PersistentVolumeClaim'],
  ['Service'],
];

const WORKLOADS = ORDER.length;
const CUSTOM = WORKLOADS + 1;
/** They intercept what comes after them. */
const LAST = CUSTOM + 1;

const BUILT_IN =
  /^(?:apps|autoscaling|batch|extensions|policy|(?:authentication|authorization|certificates|coordination|discovery|events|flowcontrol\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage|storagemigration)\.k8s\.io)?$/;
const INTERCEPTS = /^(?:admissionregistration|apiregistration)\.k8s\.io$/;

const RANKS: ReadonlyMap<string, number> = new Map(
  ORDER.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)),
);

/**
 * The place of a kind in an installation: namespaces, definitions, policies, service accounts, roles, bindings, configuration, services,
 * workloads and other built-in kinds, custom resources, and last webhooks, admission policies and aggregated APIs.
 * @see helm pkg/release/util/kind_sorter.go InstallOrder: the same order, except for definitions, which come second here
 */
export function installRank(apiVersion: string, kind: string): number {
  const { group } = parseApiVersion(apiVersion);
  const rank = RANKS.get(group === '' ? kind : `${kind}.${group}`);
  if (rank !== undefined) return rank;
  if (INTERCEPTS.test(group)) return LAST;
  return BUILT_IN.test(group) ? WORKLOADS : CUSTOM;
}
