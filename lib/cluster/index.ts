export { Cluster, startCluster, type ClusterOptions } from './cluster.ts';
export type { ClusterInspection } from './cluster-controllers.ts';
export { CLUSTER_CONTROLLERS, type ClusterController } from './cluster-controller-names.ts';
