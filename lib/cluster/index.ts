export { Cluster, startCluster, type ClusterOptions } from './cluster.ts';
export type { ClusterInspection } from './cluster-controllers.ts';
export { CLUSTER_CONTROLLERS, type ClusterController } from './cluster-controller-names.ts';
export type { ClusterNodes, ClusterPods } from './cluster-nodes.ts';
export type { WorkloadInspection } from './workloads.ts';
export type {
  ContainerBehaviour,
  ContainerRunContext,
} from './life/containers/container-behaviour.ts';
export type {
  ContainerMatch,
  ContainerRule,
  ContainerRules,
} from './life/containers/container-rules.ts';
export type { UsedResources } from './life/containers/container-usage.ts';
export type { Delay } from './life/containers/delays.ts';
export type { NodeList, NodeOptions } from './life/nodes/node-options.ts';
export type { NodeLifeInspection } from './life/node-life.ts';
