export type {
  CacheMemory,
  CacheMode,
  DeferredReleases,
  ObjectMemory,
} from './memory/object-memory.ts';
export type {
  BytesCacheOptions,
  CacheOptions,
  ObjectsCacheOptions,
  OwnCacheOptions,
} from './memory/cache-options.ts';
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
export type { RelistConsumer } from './delta/incoming-relist.ts';
export type { KnownObjects } from './delta/key-queue.ts';
export { TransformError } from './delta/object-intake.ts';
export type { AuditFinding, AuditOptions, AuditReport } from './informer/audit/audit-report.ts';
export type { ChangeSource } from './informer/changes/change-reader.ts';
export type { ChangesOptions } from './informer/changes/changes-options.ts';
export { collectionMatcher } from './informer/factory/collection-matcher.ts';
export { HandlerError } from './informer/handlers/event-handler.ts';
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
} from './informer/handlers/event-handler.ts';
export { filteringHandler } from './informer/handlers/filtering-handler.ts';
export type { FilteringResourceEventHandler } from './informer/handlers/filtering-handler.ts';
export type { BoundedHandlerBuffer, HandlerBuffer } from './informer/handlers/handler-buffer.ts';
export type {
  AddHandlerOptions,
  HandlerRegistration,
  WaitOptions,
} from './informer/handlers/handler-registration.ts';
export type {
  AddedChange,
  ChangeOf,
  ChangeView,
  DeletedChange,
  InformerChange,
  SyncedChange,
  UpdatedChange,
} from './informer/changes/informer-change.ts';
export type { ReceivedObjects } from './informer/collection/received-objects.ts';
export type {
  StateToKeep,
  WarmCollection,
  WarmStart,
  WarmState,
} from './informer/warm/warm-start.ts';
export type { DumpOptions } from './informer/dump/cache-dump.ts';
export type { MaskChoice } from '../meta/masking/object-mask.ts';
export { changesOf } from './informer/changes/informer-changes.ts';
export type { InformerEvents } from './informer/observe/informer-events.ts';
export type {
  CollectionInspection,
  EngineInspection,
  HandlerInspection,
  InformerInspection,
  InformerPhase,
  InspectedError,
  PipelineInspection,
} from './informer/observe/informer-inspection.ts';
export type { NamespaceInspection } from './informer/namespaces/namespace-reflectors.ts';
export type { CachedOf, KindDefaults, KindOptions } from './informer/factory/kind-defaults.ts';
export { informerMetrics } from './informer/observe/informer-metrics.ts';
export type { MetricDescription } from '../kernel/report/metrics.ts';
export { InformerLease } from './informer/factory/informer-lease.ts';
export type {
  InformerErrorContext,
  InformerReflectorOptions,
  ProjectedFields,
  ProjectingInformerOptions,
  SharedIndexInformerOptions,
  WithFields,
} from './informer/options/informer-options.ts';
export type {
  InformerForOptions,
  MetadataInformerForOptions,
  ProjectingInformerForOptions,
} from './informer/factory/informer-request.ts';
export type { ListerWatcherSource } from './informer/factory/lister-watcher-source.ts';
export type { LazyReader, ObjectReader } from './informer/apply/object-reader.ts';
export type { FieldPath, FieldPaths, Projection } from '../meta/json/field-path.ts';
export type { CollectionOptions, ResourceName } from '../meta/collection-options.ts';
export type { ObjectOf } from '../meta/object-types.ts';
export type { PartialObjectMetadata } from '../meta/partial-object-metadata.ts';
export { SharedIndexInformer } from './informer/shared-index-informer.ts';
export { SharedInformerFactory } from './informer/factory/shared-informer-factory.ts';
export type {
  FactorySyncOptions,
  SharedInformerFactoryOptions,
} from './informer/factory/shared-informer-factory.ts';
export type { InformerSubject, MissingResourcePolicy } from './informer/options/start-failure.ts';
export { CacheSyncError, waitForCacheSync } from './informer/factory/wait-for-cache-sync.ts';
export type {
  CacheSync,
  CacheSyncOptions,
  CacheSyncProgress,
  MissingCache,
} from './informer/factory/wait-for-cache-sync.ts';
export type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  RestoredList,
  ResourceVersionMatch,
  WatchAhead,
  WatchRequest,
  WatchStream,
} from './reflector/contract/lister-watcher.ts';
export type { ServerGate } from './reflector/contract/server-gate.ts';
export type { ReflectorOptions } from './reflector/options/reflector-options.ts';
export type {
  ReflectorErrorContext,
  ReflectorTransition,
} from './reflector/options/reflector-report.ts';
export type {
  ChangeSink,
  ReflectorSink,
  Relist,
  ReplaceSink,
} from './reflector/contract/reflector-sink.ts';
export type {
  AnchoringState,
  AskingState,
  BackingOffState,
  FailedState,
  IdleState,
  ListingState,
  Pace,
  ReflectorMemory,
  ReflectorSettings,
  ReflectorState,
  ReflectorStateName,
  StoppedState,
  StreamingListState,
  WatchingState,
} from './reflector/table/reflector-state.ts';
export { Reflector } from './reflector/reflector.ts';
export { deepFreeze } from '../kernel/data/deep-freeze.ts';
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
export type { CaughtUpOptions } from './store/processed-version.ts';
export type { StoreReader } from './store/store-reader.ts';
export type { StoreTransaction } from './store/store-transaction.ts';
export { ThreadSafeStore } from './store/thread-safe-store.ts';
export type { ThreadSafeStoreOptions } from './store/thread-safe-store.ts';
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
} from './wait/cache-condition.ts';
export type { EventCondition } from './wait/condition-sequence.ts';
export type { WaitableCache } from './wait/informer-wait.ts';
export type { RetryContext, RetryWatcherOptions } from './wait/retry-watcher-options.ts';
export { RetryWatcher } from './wait/retry-watcher.ts';
export type { UntilEventOptions, UntilOptions, UntilWatchOptions } from './wait/until-options.ts';
export { untilWithSync, type UntilWithSyncOptions } from './wait/until-with-sync.ts';
export { until } from './wait/until.ts';
export type { FieldCause, Subject } from '../meta/failure/failures.ts';
export { FieldSelector, type FieldRequirement } from '../meta/selectors/field-selector.ts';
export { KeyError } from '../meta/key.ts';
export {
  LabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  type LabelSelectorSpec,
} from '../meta/selectors/label-selector.ts';
export type { ListMeta } from '../meta/object.ts';
export type { ObjectView } from '../meta/object-view.ts';
export { isResourceVersion } from '../meta/versions/resource-version.ts';
export type { BookmarkEvent, ObjectEvent } from '../meta/watch-event.ts';
