export { ApiServer } from './api/api-server.ts';
export type {
  ApiServerOptions,
  ClientCertificateOptions,
  SecretTokenOptions,
  KubeconfigOptions,
  ServerAddress,
  ServerListenOptions,
} from './api/api-server-options.ts';
export type { WebhookService } from './webhooks/service-resolver.ts';
export type { ServerInspection } from './api/server-inspection.ts';
export type { ServerSnapshot } from './api/server-snapshot.ts';
export type { Faults, FaultsOptions } from './api/faults/faults.ts';
export type { Fault, FaultMatch, FaultRule } from './api/faults/fault-rule.ts';
export type { PodHandler, PodLogRequest, PodMatch } from './api/pods/pod-handlers.ts';
export type { PodAttachRequest, PodExecRequest } from './api/pods/container-streams.ts';
export type { PodPortForwardRequest } from './api/pods/port-forward.ts';
export type { PodLog, PodLogLine } from './api/pods/pod-log-bytes.ts';
export { apiServerMetrics } from './api/metrics/api-server-metrics.ts';
export type { ApiHandler, ApiRequest, ApiResponse } from './http/api-request.ts';
export type { RequestRecord } from './api/port/request-record.ts';
export type { CollectionOptions, ResourceName } from '../meta/collection-options.ts';
export { Cacher } from './cacher/cacher.ts';
export { watchCacheMetrics } from './cacher/window/watch-cache-metrics.ts';
export type { CacherOptions } from './cacher/cacher-options.ts';
export type { ConsistencyReport } from './cacher/reads/consistency-checker.ts';
export {
  StorageListerWatcher,
  type StorageListerWatcherOptions,
} from './cacher/storage-lister-watcher.ts';
export {
  EmbeddedKeyValueStore,
  type EmbeddedKeyValueStoreOptions,
  type LoadOptions,
  type StoreSnapshotOptions,
  type SnapshotSummary,
} from './mvcc/embedded-key-value-store.ts';
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
} from './mvcc/contract/key-value-store.ts';
export { builtInKinds } from '../kinds/built-in-kinds.ts';
export type { ChannelConnection, ConnectAnswer } from './registry/contract/rest-storage.ts';
export { AesCbcProvider, type AesCbcOptions } from './storage/encryption/aes-cbc-provider.ts';
export {
  AesGcmProvider,
  KeyUsage,
  type AesGcmOptions,
} from './storage/encryption/aes-gcm-provider.ts';
export {
  EncryptionConfiguration,
  type EncryptionConfigurationOptions,
  type KeyServicesCheck,
} from './storage/encryption/configuration/encryption-configuration.ts';
export {
  identityProvider,
  type EncryptionKey,
  type EncryptionProvider,
} from './storage/encryption/encryption-provider.ts';
export { EnvelopeProvider, type EnvelopeOptions } from './storage/encryption/envelope-provider.ts';
export type { KeyService, KeyServiceCall, WrappedKey } from './storage/encryption/key-service.ts';
export { KmsPlugin, type KmsPluginOptions } from './storage/encryption/plugin/kms-plugin.ts';
export { KmsProvider, type KmsOptions } from './storage/encryption/kms-provider.ts';
export {
  LocalKeyService,
  type LocalKeyServiceOptions,
} from './storage/encryption/local-key-service.ts';
export { PrefixTransformers } from './storage/encryption/configuration/prefix-transformers.ts';
export {
  rewriteStale,
  type RewriteOptions,
  type RewriteProgress,
} from './storage/encryption/rewrite-stale.ts';
export {
  SecretboxProvider,
  type SecretboxOptions,
} from './storage/encryption/secretbox-provider.ts';
export { KeyValueStorage, type KeyValueStorageOptions } from './storage/key-value-storage.ts';
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
} from './storage/contract/storage-interface.ts';
export {
  isStorageError,
  StorageError,
  type StorageErrorCode,
} from './storage/contract/storage-error.ts';
export type { StoredObject } from './storage/contract/stored-object.ts';
export type { Codec } from './storage/value/codec.ts';
export {
  codecFor,
  CodecFactory,
  type CodecFactoryOptions,
  type CodecOptions,
} from './storage/scheme/codec-factory.ts';
export { JsonSerializer } from './storage/scheme/json-serializer.ts';
export { ProtobufSerializer } from './storage/scheme/protobuf-serializer.ts';
export {
  Scheme,
  type ConversionFunc,
  type DefaultingFunc,
  type KnownTypeOptions,
} from './storage/scheme/scheme.ts';
export { isSchemeError, SchemeError, type SchemeErrorCode } from './storage/scheme/scheme-error.ts';
export type { DecodeOptions } from './storage/scheme/serializer.ts';
export { YamlSerializer } from './storage/scheme/yaml-serializer.ts';
export {
  identityTransformer,
  type PlainValue,
  type TransformContext,
  type Transformer,
} from './storage/value/transformer.ts';
export type {
  ObjectAttributes,
  SelectionPredicate,
} from './storage/contract/selection-predicate.ts';
export type { Versioner } from './storage/contract/versioner.ts';
export type { AccessQuestion } from './registry/contract/access-parts.ts';
export type { ContainerRequest } from './registry/contract/node-connector.ts';
export type { Certificate } from '../kernel/certificates/certificate-authority.ts';
export type { GroupResource } from './storage/encryption/configuration/resource-rules.ts';
export type {
  AdmissionRequest,
  AdmissionScope,
  AdmittedVersion,
} from './registry/contract/admission.ts';
