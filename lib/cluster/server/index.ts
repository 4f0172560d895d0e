export { ApiServer } from './api-server.ts';
export type {
  ApiServerOptions,
  ClientCertificateOptions,
  SecretTokenOptions,
  KubeconfigOptions,
  ServerAddress,
  ServerListenOptions,
} from '../../server/api/api-server-options.ts';
export type { WebhookService } from '../../server/webhooks/service-resolver.ts';
export type { ServerInspection } from '../../server/api/storages/server-inspection.ts';
export type { ServerSnapshot } from '../../server/api/storages/server-snapshot.ts';
export type { Faults, FaultsOptions } from '../../server/api/faults/faults.ts';
export type { Fault, FaultMatch, FaultRule } from '../../server/api/faults/fault-rule.ts';
export type { PodHandler, PodLogRequest, PodMatch } from '../../server/api/pods/pod-handlers.ts';
export type { PodAttachRequest, PodExecRequest } from '../../server/api/pods/container-streams.ts';
export type { PodPortForwardRequest } from '../../server/api/pods/port-forward.ts';
export type { PodLog, PodLogLine } from '../../server/api/pods/pod-log-bytes.ts';
export { apiServerMetrics } from '../../server/api/metrics/api-server-metrics.ts';
export type { ApiHandler, ApiRequest, ApiResponse } from '../../server/http/api-request.ts';
export type { RequestRecord } from '../../server/api/port/request-record.ts';
export type { CollectionOptions, ResourceName } from '../../meta/collection-options.ts';
export { Cacher } from '../../server/cacher/cacher.ts';
export { watchCacheMetrics } from '../../server/cacher/window/watch-cache-metrics.ts';
export type { CacherOptions } from '../../server/cacher/cacher-options.ts';
export type { ConsistencyReport } from '../../server/cacher/reads/consistency-checker.ts';
export {
  StorageListerWatcher,
  type StorageListerWatcherOptions,
} from '../../server/cacher/storage-lister-watcher.ts';
export {
  EmbeddedKeyValueStore,
  type EmbeddedKeyValueStoreOptions,
  type LoadOptions,
  type StoreSnapshotOptions,
  type SnapshotSummary,
} from '../../server/mvcc/embedded-key-value-store.ts';
export type {
  Compare,
  KeyValue,
  KeyValueEvent,
  KeyValueStatus,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchMessage,
  KeyValueWatchRequest,
  Lease,
  TxnOperation,
  OperationResponse,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../../server/mvcc/contract/key-value-store.ts';
export { builtInKinds } from '../../kinds/built-in-kinds.ts';
export { noKinds } from '../../server/api/no-kinds.ts';
export type {
  ChannelConnection,
  ConnectAnswer,
} from '../../server/registry/contract/rest-storage.ts';
export {
  AesCbcProvider,
  type AesCbcOptions,
} from '../../server/storage/encryption/aes-gcm-provider.ts';
export {
  AesGcmProvider,
  KeyUsage,
  type AesGcmOptions,
} from '../../server/storage/encryption/aes-gcm-provider.ts';
export {
  EncryptionConfiguration,
  type EncryptionConfigurationOptions,
  type KeyServicesCheck,
} from '../../server/storage/encryption/configuration/encryption-configuration.ts';
export {
  identityProvider,
  type EncryptionKey,
  type EncryptionProvider,
} from '../../server/storage/encryption/encryption-provider.ts';
export {
  EnvelopeProvider,
  type EnvelopeOptions,
} from '../../server/storage/encryption/envelope-provider.ts';
export type {
  KeyService,
  KeyServiceCall,
  WrappedKey,
} from '../../server/storage/encryption/key-service.ts';
export {
  KmsPlugin,
  type KmsPluginOptions,
} from '../../server/storage/encryption/plugin/kms-plugin.ts';
export { KmsProvider, type KmsOptions } from '../../server/storage/encryption/kms-provider.ts';
export {
  LocalKeyService,
  type LocalKeyServiceOptions,
} from '../../server/storage/encryption/local-key-service.ts';
export { PrefixTransformers } from '../../server/storage/encryption/configuration/prefix-transformers.ts';
export {
  rewriteStale,
  type RewriteOptions,
  type RewriteProgress,
} from '../../server/storage/encryption/rewrite-stale.ts';
export {
  SecretboxProvider,
  type SecretboxOptions,
} from '../../server/storage/encryption/secretbox-provider.ts';
export {
  KeyValueStorage,
  type KeyValueStorageOptions,
} from '../../server/storage/key-value-storage.ts';
export type {
  StorageCreateOptions,
  StorageDeleteOptions,
  GetListOptions,
  StorageGetOptions,
  GuaranteedUpdateOptions,
  Preconditions,
  StorageInterface,
  StorageList,
  StorageScan,
  StorageStats,
  StorageWatch,
  StorageWatchOptions,
  TryUpdate,
  UpdateInput,
  UpdateOutput,
} from '../../server/storage/contract/storage-interface.ts';
export {
  isStorageError,
  StorageError,
  type StorageErrorCode,
} from '../../server/storage/contract/storage-error.ts';
export type { StoredObject } from '../../server/storage/contract/stored-object.ts';
export type { Codec } from '../../server/storage/value/codec.ts';
export {
  decodeStored,
  type DecodeStoredOptions,
  type StoredDocument,
} from '../../server/storage/scheme/decode-stored.ts';
export type { ProtobufEnvelope } from '../../meta/protobuf/envelope.ts';
export {
  codecFor,
  CodecFactory,
  type CodecFactoryOptions,
  type CodecOptions,
} from '../../server/storage/scheme/codec-factory.ts';
export { JsonSerializer } from '../../server/storage/scheme/json-serializer.ts';
export {
  openEnvelope,
  ProtobufSerializer,
} from '../../server/storage/scheme/protobuf-serializer.ts';
export {
  Scheme,
  type ConversionFunc,
  type DefaultingFunc,
  type KnownTypeOptions,
} from '../../server/storage/scheme/scheme.ts';
export {
  isSchemeError,
  SchemeError,
  type SchemeErrorCode,
} from '../../server/storage/scheme/scheme-error.ts';
export type { DecodeOptions } from '../../server/storage/scheme/serializer.ts';
export { YamlSerializer } from '../../server/storage/scheme/yaml-serializer.ts';
export {
  identityTransformer,
  type PlainValue,
  type TransformContext,
  type Transformer,
} from '../../server/storage/value/transformer.ts';
export type {
  ObjectAttributes,
  SelectionPredicate,
} from '../../server/storage/contract/selection-predicate.ts';
export type { Versioner } from '../../server/storage/contract/versioner.ts';
export type { AccessQuestion } from '../../server/registry/contract/access-parts.ts';
export type { ContainerRequest } from '../../server/registry/contract/node-connector.ts';
export type { Certificate } from '../../kernel/certificates/certificate-authority.ts';
export type { GroupResource } from '../../server/storage/encryption/configuration/resource-rules.ts';
export type {
  AdmissionRequest,
  AdmissionScope,
  AdmittedVersion,
} from '../../server/registry/contract/admission.ts';
