/**
 * The names that the author of a controller uses, one a line. The values are what a program calls; the types are those that a
 * program writes in declarations of its own: objects, handlers, options. All other types of their signatures, and the parts
 * behind them, are exported by the entry of their part: `listwatch/cache`, `/client`, `/controller` and `/kernel`.
 *
 * `listwatch/server` is the embedded API server, `/server/etcd` its storage on a real etcd cluster, `/testing` has sources and
 * transports for tests, `/conformance` the suites for storages of other people, `/inspector` a live page of a program.
 */

// The server
export { connect, type ConnectOptions } from './client/rest/connect.ts';
export { Client, type ClientOptions, type ResourceOptions } from './client/rest/client.ts';
export type { ResourceClient } from './client/rest/resource-client.ts';
export type { RequestTrace } from './client/transport/flow/request-trace.ts';
export { retryOnConflict } from './client/rest/helpers/retry-on-conflict.ts';

// Informers
export {
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from './cache/informer/factory/shared-informer-factory.ts';
export type { InformerForOptions } from './cache/informer/factory/informer-request.ts';
export { SharedIndexInformer } from './cache/informer/shared-index-informer.ts';
export type { SharedIndexInformerOptions } from './cache/informer/options/informer-options.ts';
export type {
  KeyEventHandler,
  MetadataEventHandler,
  ObjectEventHandler,
  ResourceEventHandler,
} from './cache/informer/handlers/event-handler.ts';
export { filteringHandler } from './cache/informer/handlers/filtering-handler.ts';
export type { HandlerRegistration } from './cache/informer/handlers/handler-registration.ts';
export { changesOf } from './cache/informer/changes/change-reader.ts';
export type { InformerChange } from './cache/informer/changes/changes-options.ts';
export {
  metaNamespaceIndexFunc,
  NAMESPACE_INDEX,
  type IndexFunc,
  type Indexers,
} from './cache/store/indexers.ts';
export type { Lister, NamespaceLister } from './cache/store/lister.ts';
export { CacheSyncError, waitForCacheSync } from './cache/informer/factory/wait-for-cache-sync.ts';
export { RetryWatcher } from './cache/wait/retry-watcher.ts';
export { until } from './cache/wait/until.ts';
export { untilWithSync } from './cache/wait/until-with-sync.ts';

// Reconciling
export {
  RateLimitingQueue,
  type RateLimitingQueueOptions,
} from './controller/workqueue/rate-limiting-queue.ts';
export type { WorkItem } from './controller/workqueue/keys/work-item.ts';
export {
  ReconcileLoop,
  type Reconcile,
  type ReconcileContext,
  type ReconcileLoopOptions,
  type ReconcileRequest,
  type ReconcileResult,
} from './controller/runtime/reconcile-loop.ts';
export { ReconcileError, TerminalError } from './controller/runtime/reconcile-error.ts';
export { controller } from './controller/builder/controller-builder.ts';
export type { Controller } from './controller/builder/controller.ts';
export type { ReconcileObject } from './controller/builder/run/author-functions.ts';
export type { GoneObject } from './controller/builder/run/gone-objects.ts';
export {
  conditionOf,
  isConditionTrue,
  setConditions,
  type ConditionOf,
} from './controller/helpers/conditions.ts';
export { applyDependents, deleteDependents, dependent } from './controller/helpers/dependents.ts';
export { setOwner } from './controller/helpers/owner-references.ts';
export type { ControllerContext } from './controller/builder/run/controller-context.ts';
export type { ControllerOptions } from './controller/builder/controller-options.ts';
export type { ControllerResult } from './controller/builder/run/controller-result.ts';
export type { ObjectChange } from './controller/change/object-change.ts';
export { EventRecorder, type EventRecorderOptions } from './controller/events/event-recorder.ts';
export type { EventSink, NewEvent } from './controller/events/event-sink.ts';
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
} from './controller/change/predicates.ts';

export { defineResource, type TypesOf } from './controller/definition/resource-definition.ts';

export { ShardMember } from './controller/sharding/shard-member.ts';
export { LeaderElector } from './controller/election/leader-elector.ts';
export type { LeaderElectorOptions } from './controller/election/leader-election-options.ts';
export { Manager } from './controller/manager/manager.ts';
export type { ManagerOptions } from './controller/manager/manager-options.ts';
export type { Runnable } from './controller/manager/managed-parts.ts';
export { WebhookServer } from './controller/webhook/webhook-server.ts';
export type { WebhookServerOptions } from './controller/webhook/webhook-server-options.ts';
export type { Mutation, Validation } from './controller/webhook/review/admission-context.ts';

// Objects, keys and selectors
export {
  controllerOf,
  type HasMetadata,
  type KubernetesList,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
  type UnstructuredObject,
} from './meta/object.ts';
export type { Created, Stored, Unstored } from './meta/stored.ts';
export type { KnownResources } from './types/known-resources.ts';
export {
  metaNamespaceKeyFunc,
  objectKey,
  splitMetaNamespaceKey,
  type KeyFunc,
  type ObjectName,
} from './meta/key.ts';
export { labelSelectorFromSpec, parseLabelSelector } from './meta/selectors/label-selector.ts';
export { shardSelector, type ShardOptions } from './meta/selectors/shard-selector.ts';
export { parseFieldSelector } from './meta/selectors/field-selector.ts';
export { compareResourceVersions } from './meta/versions/resource-version.ts';
export type { WatchEvent } from './meta/watch-event.ts';

// Errors
export {
  errorCodes,
  isListwatchError,
  ListwatchError,
  type ErrorCode,
} from './kernel/failure/errors.ts';
export { ApiError } from './meta/failure/api-error.ts';
export {
  isAlreadyExists,
  isApiError,
  isApplyConflict,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  isTooManyRequests,
} from './meta/failure/failures.ts';

// Values that a program passes in
export { consoleLogger } from './kernel/report/console-logger.ts';
export { silentLogger, type LogFields, type Logger } from './kernel/report/logger.ts';
export type { MetricLabels, Metrics } from './kernel/report/metrics.ts';
export type { Tracer } from './kernel/report/tracer.ts';
export type { Runtime } from './kernel/time/runtime.ts';
