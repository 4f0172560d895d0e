export { workQueueMetrics } from './workqueue/work-queue-metrics.ts';
export type { NoteWriter } from './workqueue/keys/key-note.ts';
export { WorkItem } from './workqueue/keys/work-item.ts';
export { WorkQueue, type TakeLimit } from './workqueue/work-queue.ts';
export type {
  AddOptions,
  CloseQueueOptions,
  TakeOptions,
  WorkQueueOptions,
} from './workqueue/work-queue-options.ts';
export type {
  DrainQueueOptions,
  DrainReport,
  FailingKey,
  HeldBackKey,
  InspectQueueOptions,
  KeyList,
  QueueInspection,
  RunningKey,
  WaitingKey,
} from './workqueue/queue-inspection.ts';
export type { QueuePacingOptions } from './workqueue/queue-pacing.ts';
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
export { MaxOfRateLimiter } from './workqueue/limits/max-of-rate-limiter.ts';
export {
  clientGoRateLimiter,
  defaultRateLimiter,
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
export type { HeldLease, HeldLeaseOptions } from './election/held-lease.ts';
export type { LeaseClock, Moment } from './election/lease-clock.ts';
export { electionMetrics } from './election/election-metrics.ts';
export { webhookMetrics } from './webhook/port/webhook-metrics.ts';
export {
  ShardMember,
  type CloseMemberOptions,
  type ShardingInspection,
} from './sharding/shard-member.ts';
export { shardingMetrics } from './sharding/sharding-metrics.ts';
export type { ShardingOptions, ShardMemberOptions } from './sharding/sharding-options.ts';
export type { ShareWorker, WorkShare } from './sharding/contract/work-share.ts';
export { Manager } from './manager/manager.ts';
export { prometheusMetrics } from './manager/manager-metrics.ts';
export {
  PrometheusMetrics,
  type PrometheusMetricsOptions,
} from '../kernel/report/prometheus-metrics.ts';
export type { SignalSource } from '../kernel/time/real-process.ts';
export type { Check } from './manager/health-checks.ts';
export type {
  AnyController,
  AnyInformer,
  AnyInformerFactory,
  ManagedPart,
  PartKind,
  Runnable,
  RunnableContext,
} from './manager/managed-parts.ts';
export type { PartState } from './manager/managed-run.ts';
export type { ManagerInspection, PartInspection } from './manager/manager-inspection.ts';
export type {
  EndpointOptions,
  ManagerOptions,
  MetricsRegistry,
} from './manager/manager-options.ts';
export { controller, ControllerBuilder } from './builder/controller-builder.ts';
export type { OwnsOptions, SourceOptions, WatchesOptions } from './builder/controller-builder.ts';
export type {
  EventSource,
  ExternalSourceInspection,
  Subscription,
} from './builder/source/external-source.ts';
export type { MapObject, OwnLookup } from './builder/source/change-mappings.ts';
export type { Controller, ControllerParts } from './builder/controller.ts';
export type {
  AuthorFunctions,
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
  ListerOfController,
  ObjectsByIndex,
  OwnedObjects,
  OwnObject,
  ResourceOfController,
} from './builder/run/controller-context.ts';
export type {
  OtherCluster,
  OwnKind,
  SourceDeclaration,
} from './builder/source/source-declaration.ts';
export type { ControllerInspection, SourceInspection } from './builder/controller-inspection.ts';
export type { ControllerOptions, ControllerQueueOptions } from './builder/controller-options.ts';
export type { ControllerResult, MergePart } from './builder/run/controller-result.ts';
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
export type { FieldChange, Handled, HandledOptions } from './helpers/handled-state.ts';
export type { DaemonOptions, ObjectTasksInspection } from './helpers/object-daemons.ts';
export type { TimerOptions } from './helpers/object-timer.ts';
export type { TaskDeclarations } from './builder/object-tasks.ts';
export {
  conditionOf,
  isConditionTrue,
  setConditions,
  type AnyCondition,
  type ConditionChange,
  type ConditionOf,
  type StatusOf,
} from './helpers/conditions.ts';
export {
  ownerReferenceTo,
  setOwner,
  type Owner,
  type OwnerOptions,
} from './helpers/owner-references.ts';
export type {
  ChangeMapping,
  SourceCounts,
  SourceRole,
} from './builder/source/controller-source.ts';
export type { ReconcileCounts, ReconcileRecord } from './builder/run/reconcile-history.ts';
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
  type EventDrop,
  type EventRecorderInspection,
  type EventRecorderOptions,
  type FlushOptions,
} from './events/event-recorder.ts';
export type { EventApiVersion } from './events/event-body.ts';
export type { EventReference } from './events/event-fact.ts';
export type { EventSink, NewEvent } from './events/event-sink.ts';
export { WebhookServer, type WebhookServerInspection } from './webhook/webhook-server.ts';
export type {
  WebhookServerOptions,
  WebhookServiceReference,
} from './webhook/webhook-server-options.ts';
export type { WebhookManifests } from './webhook/webhook-manifests.ts';
export type { HookOptions, MutateOptions } from './webhook/hook-options.ts';
export type {
  CertificatePaths,
  CertificateSecret,
} from './webhook/certificates/certificate-options.ts';
export type {
  AdmissionContext,
  AdmissionUser,
  Admitted,
  DenyOptions,
  Mutate,
  Mutation,
  Operation,
  ReviewedObjects,
  Validate,
  Validation,
} from './webhook/review/admission-context.ts';
export type { Convert, Converted, ConversionOptions } from './webhook/review/conversion.ts';
export type { Draft } from './webhook/review/draft.ts';
export {
  defineResource,
  type DefinedObject,
  type DefinedTypes,
  type DefineResourceOptions,
  type ResourceDefinition,
  type TypesOf,
  type VersionOptions,
} from './definition/resource-definition.ts';
export type { InferSchema, SchemaInput, StandardSchema } from './definition/schema-input.ts';
