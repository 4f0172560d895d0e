export type { CacheMemory, CacheMode } from './bytes/cache-keeper.ts';
export type {
  BytesCacheOptions,
  CacheOptions,
  ObjectsCacheOptions,
} from './bytes/cache-options.ts';
export { DeltaFIFO } from './delta/delta-fifo.ts';
export type {
  DeltaFIFOOptions,
  DeltaOrder,
  NextRelist,
  PopInfo,
  PopProcess,
} from './delta/delta-fifo.ts';
export type {
  BookmarkDelta,
  DeletedDelta,
  Delta,
  KeyedDelta,
  ObjectDelta,
  ReplacedAllDelta,
  SyncAllDelta,
} from './delta/delta.ts';
export type { KnownObjects } from './delta/key-queue.ts';
export { TransformError } from './delta/object-intake.ts';
export type { RelistStage } from './delta/relist-stage.ts';
export type { AuditFinding, AuditOptions, AuditReport } from './informer/audit-report.ts';
export type { ChangeSource } from './informer/change-reader.ts';
export type { ChangesOptions } from './informer/changes-options.ts';
export { collectionMatcher } from './informer/collection-matcher.ts';
export { HandlerError } from './informer/event-handler.ts';
export type {
  AddInfo,
  DeleteInfo,
  LazyEventHandler,
  LazyObject,
  KeyEventHandler,
  MetadataEventHandler,
  ObjectEventHandler,
  ObjectMetadata,
  Origin,
  ResourceEventHandler,
  UpdateInfo,
} from './informer/event-handler.ts';
export { filteringHandler } from './informer/filtering-handler.ts';
export type { FilteringResourceEventHandler } from './informer/filtering-handler.ts';
export type { BoundedHandlerBuffer, HandlerBuffer } from './informer/handler-buffer.ts';
export type {
  AddHandlerOptions,
  HandlerRegistration,
  WaitOptions,
} from './informer/handler-registration.ts';
export type {
  AddedChange,
  ChangeOf,
  ChangeView,
  DeletedChange,
  InformerChange,
  SyncedChange,
  UpdatedChange,
} from './informer/informer-change.ts';
export { changesOf } from './informer/informer-changes.ts';
export type { InformerEvents } from './informer/informer-events.ts';
export type {
  EngineInspection,
  HandlerInspection,
  InformerInspection,
  InformerPhase,
  InspectedError,
  PipelineInspection,
} from './informer/informer-inspection.ts';
export { informerMetrics } from './informer/informer-metrics.ts';
export type { MetricDescription } from './informer/informer-metrics.ts';
export { InformerLease } from './informer/informer-lease.ts';
export type {
  InformerErrorContext,
  InformerReflectorOptions,
  ProjectedFields,
  ProjectingInformerOptions,
  SharedIndexInformerOptions,
} from './informer/informer-options.ts';
export type {
  InformerForOptions,
  MetadataInformerForOptions,
  ProjectingInformerForOptions,
} from './informer/informer-request.ts';
export type { ListerWatcherSource } from './informer/lister-watcher-source.ts';
export type { LazyReader, ObjectReader } from './informer/object-reader.ts';
export type { FieldPath, FieldPaths, Projection } from '../meta/json/field-path.ts';
export type { CollectionOptions, ResourceName } from '../meta/collection.ts';
export type { ObjectOf } from '../meta/object-types.ts';
export type { PartialObjectMetadata } from '../meta/partial-object-metadata.ts';
export { SharedIndexInformer } from './informer/shared-index-informer.ts';
export { SharedInformerFactory } from './informer/shared-informer-factory.ts';
export type {
  FactorySyncOptions,
  SharedInformerFactoryOptions,
} from './informer/shared-informer-factory.ts';
export type { InformerSubject, MissingResourcePolicy } from './informer/start-failure.ts';
export { CacheSyncError, waitForCacheSync } from './informer/wait-for-cache-sync.ts';
export type {
  CacheSync,
  CacheSyncOptions,
  CacheSyncProgress,
  MissingCache,
} from './informer/wait-for-cache-sync.ts';
export type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  ResourceVersionMatch,
  WatchRequest,
  WatchStream,
} from './reflector/lister-watcher.ts';
export type { ReflectorOptions } from './reflector/reflector-options.ts';
export type { ReflectorErrorContext, ReflectorTransition } from './reflector/reflector-report.ts';
export type { ReflectorSink, StagedReplace } from './reflector/reflector-sink.ts';
export type { ReflectorState, ReflectorStateName } from './reflector/reflector-state.ts';
export { Reflector } from './reflector/reflector.ts';
export { deepFreeze } from './store/deep-freeze.ts';
export { ExpirationStore } from './store/expiration-store.ts';
export type { ExpirationStoreOptions } from './store/expiration-store.ts';
export { Indexer } from './store/indexer.ts';
export type { IndexerOptions, IndexerWrite, RejectedWrite } from './store/indexer.ts';
export {
  IndexFunctionError,
  metadataIndexFunc,
  metaNamespaceIndexFunc,
  NAMESPACE_INDEX,
} from './store/indexers.ts';
export type { IndexFunc, Indexers } from './store/indexers.ts';
export { asStored, StoreLister } from './store/lister.ts';
export type {
  Lister,
  ListerListOptions,
  ListOptions,
  MetadataView,
  NamespaceLister,
  Opener,
  StoreListerOptions,
} from './store/lister.ts';
export type { ObjectKeeper } from './store/object-keeper.ts';
export type { PreparedWrites } from './store/prepared-writes.ts';
export type { CaughtUpOptions } from './store/processed-version.ts';
export type { StoreDraft } from './store/store-draft.ts';
export type { StoreReader } from './store/store-reader.ts';
export { ThreadSafeStore } from './store/thread-safe-store.ts';
export type { StoreWrite, ThreadSafeStoreOptions } from './store/thread-safe-store.ts';
export { WriteOverlay } from './store/write-overlay.ts';
export type {
  Deletion,
  WriteOverlayInspection,
  WriteOverlayOptions,
} from './store/write-overlay.ts';
export type {
  CacheCondition,
  ObjectSelection,
  UntilCached,
  UntilGone,
  UntilNarrowed,
  UntilPresent,
} from './watch/cache-condition.ts';
export type { EventCondition } from './watch/condition-sequence.ts';
export type { WaitableCache } from './watch/informer-wait.ts';
export type { RetryContext, RetryWatcherOptions } from './watch/retry-watcher-options.ts';
export { RetryWatcher } from './watch/retry-watcher.ts';
export type { UntilEventOptions, UntilOptions, UntilWatchOptions } from './watch/until-options.ts';
export { untilWithSync, type UntilWithSyncOptions } from './watch/until-with-sync.ts';
export { until } from './watch/until.ts';
