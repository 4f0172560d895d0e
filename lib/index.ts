/**
 * What a controller author needs. The embedded API server is at `listwatch/server`, fakes and suites for tests at
 * `listwatch/testing`, and the parts behind these names at `listwatch/cache`, `/client`, `/controller` and `/kernel`.
 */
export * from './cache/index.ts';
export {
  connect,
  Client,
  type ClientOptions,
  type CallOptions,
  type ConnectOptions,
  type DeleteOptions,
  type GetOptions,
  type PatchOptions,
  type ResourceClient,
  type ResourceOptions,
  type Transport,
  type WatchOptions,
  type WriteObserver,
  type WriteOptions,
} from './client/index.ts';
export {
  RateLimitingQueue,
  ReconcileError,
  ReconcileLoop,
  TerminalError,
  type RateLimiter,
  type RateLimitingQueueOptions,
  type Reconcile,
  type ReconcileContext,
  type ReconcileFailure,
  type ReconcileLoopOptions,
  type ReconcileRequest,
  type ReconcileResult,
  type RunReconcilesOptions,
  type WorkItem,
} from './controller/index.ts';
export { errorCodes, isListwatchError, ListwatchError, type ErrorCode } from './kernel/errors.ts';
export { consoleLogger } from './kernel/console-logger.ts';
export { silentLogger, type LogFields, type Logger } from './kernel/logger.ts';
export type { MetricLabels, Metrics } from './kernel/metrics.ts';
export type { Runtime } from './kernel/runtime.ts';
export { realRuntime } from './kernel/real-runtime.ts';
export { VirtualRuntime, type VirtualRuntimeOptions } from './kernel/virtual-runtime.ts';
export { ApiError } from './meta/api-error.ts';
export {
  isAlreadyExists,
  isApiError,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  isTooManyRequests,
} from './meta/failures.ts';
export {
  KeyError,
  metaNamespaceKeyFunc,
  objectKey,
  splitMetaNamespaceKey,
  type KeyFunc,
  type ObjectName,
} from './meta/key.ts';
export { LabelSelector, labelSelectorFromSpec, parseLabelSelector } from './meta/label-selector.ts';
export { FieldSelector, parseFieldSelector } from './meta/field-selector.ts';
export type { ObjectView } from './meta/object-view.ts';
export {
  controllerOf,
  type HasMetadata,
  type KubernetesList,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
  type UnstructuredObject,
} from './meta/object.ts';
export { compareResourceVersions, isResourceVersion } from './meta/resource-version.ts';
export type { BookmarkEvent, ObjectEvent, WatchEvent } from './meta/watch-event.ts';
