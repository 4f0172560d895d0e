export { Cluster, startCluster, type ClusterOptions } from './cluster.ts';
export type { ClusterInspection } from './cluster-controllers.ts';
export {
  CLUSTER_CONTROLLERS,
  type ClusterController,
  type ControllerSelection,
} from './cluster-controller-names.ts';
export type { GarbageCollectorInspection } from './garbage/garbage-collector.ts';
export type { ProtectionInspection } from './protection/in-use-protection.ts';
export type { QuotaInspection } from './quotas/quota-usage.ts';
