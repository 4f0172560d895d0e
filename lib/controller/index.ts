export { workQueueMetrics } from './workqueue/work-queue-metrics.ts';
export type { WorkItem } from './workqueue/keys/work-item.ts';
export { WorkQueue } from './workqueue/work-queue.ts';
export type {
  AddOptions,
  CloseQueueOptions,
  TakeOptions,
  WorkQueueOptions,
} from './workqueue/work-queue-options.ts';
export type {
  DrainQueueOptions,
  DrainReport,
  InspectQueueOptions,
  QueueInspection,
} from './workqueue/queue-inspection.ts';
export { DelayingQueue, type DelayingQueueOptions } from './workqueue/delaying-queue.ts';
export {
  RateLimitingQueue,
  type RateLimitingQueueOptions,
  type RetryOptions,
} from './workqueue/rate-limiting-queue.ts';
export type { RateLimiter } from './workqueue/limits/rate-limiter.ts';
export {
  ItemExponentialRateLimiter,
  type ItemExponentialRateLimiterOptions,
} from './workqueue/limits/item-exponential-rate-limiter.ts';
export {
  BucketRateLimiter,
  type BucketRateLimiterOptions,
} from './workqueue/limits/bucket-rate-limiter.ts';
export {
  clientGoRateLimiter,
  defaultRateLimiter,
  MaxOfRateLimiter,
} from './workqueue/limits/rate-limiter-presets.ts';
export {
  ReconcileLoop,
  type Reconcile,
  type ReconcileContext,
  type ReconcileLoopOptions,
  type ReconcileRequest,
  type ReconcileResult,
  type RunReconcilesOptions,
} from './runtime/reconcile-loop.ts';
export { reconcileLoopMetrics } from './runtime/reconcile-loop-metrics.ts';
export { ReconcileError, TerminalError, type ReconcileFailure } from './runtime/reconcile-error.ts';
export {
  LeaderElector,
  type ElectionInspection,
  type LeaderContext,
  type RunElectorOptions,
} from './election/leader-elector.ts';
export type {
  LeaderElectionOptions,
  LeaderElectorOptions,
} from './election/leader-election-options.ts';
export type { HeldLease } from './election/held-lease.ts';
export { electionMetrics } from './election/election-metrics.ts';
export { webhookMetrics } from './webhook/port/webhook-metrics.ts';
export {
  ShardMember,
  type CloseMemberOptions,
  type ShardingInspection,
} from './sharding/shard-member.ts';
export { shardingMetrics } from './sharding/sharding-metrics.ts';
export type { ShardingOptions, ShardMemberOptions } from './sharding/sharding-options.ts';
export {
  ClusterSet,
  type ClusterSetOptions,
  type MemberCluster,
} from './clusters/cluster-set.ts';
export type { MemberInspection } from './clusters/cluster-member.ts';
export { Manager } from './manager/manager.ts';
export { prometheusMetrics } from './manager/manager-metrics.ts';
export {
  PrometheusMetrics,
  type PrometheusMetricsOptions,
} from '../kernel/report/prometheus-metrics.ts';
export type { Check } from './manager/health-checks.ts';
export type {
  AnyController,
  ManagedPart,
  Runnable,
  RunnableContext,
} from './manager/managed-parts.ts';
export type { ManagerInspection } from './manager/manager-inspection.ts';
export type { EndpointOptions, ManagerOptions } from './manager/manager-options.ts';
export { controller, type ControllerBuilder } from './builder/controller-builder.ts';
export type { OwnsOptions, WatchesOptions } from './builder/controller-builder.ts';
export type { EventSource, Subscription } from './builder/source/external-source.ts';
export type { MapObject, OwnLookup } from './builder/source/change-mappings.ts';
export type { Controller } from './builder/controller.ts';
export type {
  CleanUp,
  DaemonWork,
  Finalizer,
  ReconcileObject,
  WhenGone,
} from './builder/run/author-functions.ts';
export type { GoneObject } from './builder/run/gone-objects.ts';
export type {
  ControllerContext,
  GoneContext,
  InCluster,
} from './builder/run/controller-context.ts';
export type { ControllerInspection } from './builder/controller-inspection.ts';
export type { ControllerOptions } from './builder/controller-options.ts';
export type { ControllerResult } from './builder/run/controller-result.ts';
export {
  applyDependents,
  deleteDependents,
  dependent,
  type Dependent,
  type DependentOptions,
  type DependentsCall,
  type DependentsReport,
  type ReadsAndApplies,
} from './helpers/dependents.ts';
export {
  Expectations,
  type Expectation,
  type ExpectationsOptions,
  type ReadExpected,
} from './helpers/expectations.ts';
export type { HandledOptions } from './helpers/handled-state.ts';
export type { DaemonOptions } from './helpers/object-daemons.ts';
export type { EveryOptions } from './helpers/object-timer.ts';
export {
  conditionOf,
  isConditionTrue,
  setConditions,
  type ConditionChange,
  type ConditionOf,
} from './helpers/conditions.ts';
export {
  ownerReferenceTo,
  setOwner,
  type Owner,
  type OwnerOptions,
} from './helpers/owner-references.ts';
export type { Target, Targets } from './builder/source/targets.ts';
export type { ObjectChange } from './change/object-change.ts';
export {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  generationChanged,
  inNamespaces,
  labelsChanged,
  not,
  specOrMetadataChanged,
  withLabels,
  type Predicate,
} from './change/predicates.ts';
export { describeReason, type ReconcileReason } from './change/reconcile-reasons.ts';
export {
  EventRecorder,
  type EventRecorderInspection,
  type EventRecorderOptions,
  type FlushOptions,
} from './events/event-recorder.ts';
export type { EventSink, NewEvent } from './events/event-sink.ts';
export { WebhookServer, type WebhookServerInspection } from './webhook/webhook-server.ts';
export type { WebhookServerOptions } from './webhook/webhook-server-options.ts';
export type { WebhookManifests } from './webhook/webhook-manifests.ts';
export type { HookOptions, MutateOptions } from './webhook/hook-options.ts';
export type {
  AdmissionContext,
  Admitted,
  DenyOptions,
  Mutate,
  Mutation,
  Operation,
  Validate,
  Validation,
} from './webhook/review/admission-context.ts';
export type { Convert, Converted, ConversionOptions } from './webhook/review/conversion.ts';
export {
  defineResource,
  type DefinedTypes,
  type DefineResourceOptions,
  type ResourceDefinition,
  type TypesOf,
  type VersionOptions,
} from './definition/resource-definition.ts';
export type { SchemaInput } from './definition/schema-input.ts';
