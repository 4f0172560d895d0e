export type { CacheMemory, DeferredReleases } from './memory/object-memory.ts';
export { DeltaFIFO } from './delta/delta-fifo.ts';
export type { DeltaFIFOOptions, NextRelist, PopInfo, PopProcess } from './delta/delta-fifo.ts';
export type { Delta } from './delta/delta.ts';
export { TransformError } from './delta/object-intake.ts';
export type { AuditOptions, AuditReport } from './informer/audit/audit-report.ts';
export type { ChangeSource } from './informer/changes/change-reader.ts';
export type { ChangesOptions } from './informer/changes/changes-options.ts';
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
  ResourceEventHandler,
  UpdateInfo,
} from './informer/handlers/event-handler.ts';
export { filteringHandler } from './informer/handlers/filtering-handler.ts';
export type { FilteringResourceEventHandler } from './informer/handlers/filtering-handler.ts';
export type {
  AddHandlerOptions,
  HandlerRegistration,
  WaitOptions,
} from './informer/handlers/handler-registration.ts';
export type { ChangeOf, ChangeView, InformerChange } from './informer/changes/changes-options.ts';
export { SharedCollections } from './reflector/contract/shared-collections.ts';
export type {
  StateToKeep,
  WarmCollection,
  WarmStart,
  WarmState,
} from './collection/warm/warm-start.ts';
export type { DumpOptions } from './informer/dump/cache-dump.ts';
export { changesOf } from './informer/changes/change-reader.ts';
export type { InformerInspection } from './informer/observe/informer-inspection.ts';
export type { CachedOf, KindDefaults } from './informer/factory/informer-request.ts';
export { informerMetrics } from './informer/observe/informer-metrics.ts';
export type { InformerLease } from './informer/factory/informer-entry.ts';
export type {
  InformerErrorContext,
  ProjectingInformerOptions,
  SharedIndexInformerOptions,
} from './informer/options/informer-options.ts';
export type {
  InformerForOptions,
  MetadataInformerForOptions,
  ProjectingInformerForOptions,
} from './informer/factory/informer-request.ts';
export type { ListerWatcherSource } from './informer/factory/informer-request.ts';
export type { Projection } from '../meta/json/field-path.ts';
export type { CollectionOptions, ResourceName } from '../meta/collection-options.ts';
export type { ObjectOf } from '../meta/object-types.ts';
export type { PartialObjectMetadata } from '../meta/partial-object-metadata.ts';
export { SharedIndexInformer } from './informer/shared-index-informer.ts';
export { SharedInformerFactory } from './informer/factory/shared-informer-factory.ts';
export type {
  FactorySyncOptions,
  SharedInformerFactoryOptions,
} from './informer/factory/shared-informer-factory.ts';
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
  SourceDecorator,
  WatchRequest,
  WatchStream,
} from './reflector/contract/lister-watcher.ts';
export type { ReflectorOptions } from './reflector/options/reflector-options.ts';
export type {
  ReflectorErrorContext,
  ReflectorTransition,
} from './reflector/options/reflector-report.ts';
export type { ReflectorSink, Relist, ReplaceSink } from './reflector/contract/reflector-sink.ts';
export { Reflector } from './reflector/reflector.ts';
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
export type {
  Lister,
  ListerListOptions,
  MetadataView,
  NamespaceLister,
} from './store/lister.ts';
export type { StoreReader } from './store/store-reader.ts';
export { ThreadSafeStore } from './store/thread-safe-store.ts';
export type { ThreadSafeStoreOptions } from './store/thread-safe-store.ts';
export type { Deletion } from './store/write-overlay.ts';
export type {
  CacheCondition,
  UntilCached,
  UntilGone,
  UntilNarrowed,
  UntilPresent,
} from './wait/until-cached.ts';
export type { WaitableCache } from './wait/until-cached.ts';
export type { RetryContext, RetryWatcherOptions } from './wait/retry-watcher.ts';
export { RetryWatcher } from './wait/retry-watcher.ts';
export type { UntilEventOptions, UntilWatchOptions } from './wait/until-event.ts';
export { untilWithSync, type UntilWithSyncOptions } from './wait/until-with-sync.ts';
export { until } from './wait/until.ts';
export { FieldSelector, type FieldRequirement } from '../meta/selectors/field-selector.ts';
export { KeyError } from '../meta/key.ts';
export {
  LabelSelector,
  type LabelRequirement,
  type Labels,
  type LabelSelectorSpec,
} from '../meta/selectors/label-selector.ts';
export type { ObjectView } from '../meta/object-view.ts';
export type { BookmarkEvent, ObjectEvent } from '../meta/watch-event.ts';
