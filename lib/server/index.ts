export type { ServerTlsOptions } from './api/certificates/server-certificates.ts';
export { ApiServer } from './api/api-server.ts';
export type {
  ApiServerOptions,
  ClientCertificateOptions,
  SecretTokenOptions,
  KubeconfigOptions,
  ServerAddress,
  ServerListenOptions,
} from './api/api-server-options.ts';
export type { ServiceResolver, WebhookService } from './webhooks/service-resolver.ts';
export type { ResourceInspection, ServerInspection } from './api/server-inspection.ts';
export type { ServerSnapshot } from './api/server-snapshot.ts';
export type { TransformerFor } from './api/server-storages.ts';
export type { Faults, FaultsOptions } from './api/faults/faults.ts';
export type {
  AfterEvents,
  Fault,
  FaultAnswer,
  FaultEffects,
  FaultMatch,
  FaultReset,
  FaultRule,
  OneOrMore,
} from './api/faults/fault-rule.ts';
export type {
  PodHandler,
  PodHandlers,
  PodLogRequest,
  PodMatch,
} from './api/pods/pod-handlers.ts';
export type {
  PodAttachRequest,
  PodExecRequest,
  PodOutput,
  PodStreams,
  TerminalSize,
} from './api/pods/container-streams.ts';
export type { PodPortForwardRequest } from './api/pods/port-forward.ts';
export type { PodLog, PodLogLine } from './api/pods/pod-log-bytes.ts';
export { ConnectionReset } from './http/connection-reset.ts';
export type { Verb } from './http/request-info.ts';
export { createApiHandler, type ApiHandlerOptions } from './api/api-handler.ts';
export type { HealthCheck, HealthEndpoint } from './api/health/health-endpoints.ts';
export type { TokenIssuer } from './api/root-paths.ts';
export { apiServerMetrics, type ApiServerMetric } from './api/metrics/api-server-metrics.ts';
export {
  ServerMetrics,
  type Collector,
  type ServerMetricsOptions,
} from './api/metrics/server-metrics.ts';
export type { ApiHandler, ApiRequest, ApiResponse } from './http/api-request.ts';
export type { RequestRecord } from './api/port/request-record.ts';
export {
  bearerAuthenticator,
  withAuthentication,
  type AuthenticatedUser,
  type AuthenticationOptions,
  type AuthenticationVerdict,
  type Authenticator,
} from './access/authentication/authentication.ts';
export { HttpListener, type ListenOptions } from './api/port/http-listener.ts';
export type { HttpListenerOptions } from './api/port/http-listener-options.ts';
export type { CollectionOptions, ResourceName } from '../meta/collection-options.ts';
export { Cacher } from './cacher/cacher.ts';
export type { CacherStatus } from './cacher/cacher-status.ts';
export { watchCacheMetrics } from './cacher/window/watch-cache-metrics.ts';
export type { CacherOptions } from './cacher/cacher-options.ts';
export type { CacheDifference, ConsistencyReport } from './cacher/reads/consistency-checker.ts';
export {
  StorageListerWatcher,
  type StorageListerWatcherOptions,
} from './cacher/storage-lister-watcher.ts';
export {
  EmbeddedKeyValueStore,
  type EmbeddedKeyValueStoreOptions,
  type LoadOptions,
  type SnapshotOptions,
  type SnapshotSummary,
} from './mvcc/embedded-key-value-store.ts';
export type * from './mvcc/contract/key-value-store.ts';
export {
  ApiResourceRegistry,
  type ApiResourceRegistryOptions,
} from './api/api-resource-registry.ts';
export { builtInKinds } from '../kinds/built-in-kinds.ts';
export type {
  ApplyOptions,
  ChannelConnection,
  ChannelUpgrade,
  ConnectAnswer,
  ConnectMethods,
  ConnectRequest,
  DeclaredSchema,
  DeleteRequest,
  InstalledResource,
  ListOptions,
  ReadOptions,
  RequestContext,
  ResourceDescription,
  ResourceRegistry,
  RestStorage,
  TableColumn,
  TableConvertor,
  UpdateFunc,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from './registry/contract/rest-storage.ts';
export type { ResourceStorage, StorageFactory } from './registry/storage-factory.ts';
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
  type RandomBytes,
} from './storage/encryption/encryption-provider.ts';
export { EnvelopeProvider, type EnvelopeOptions } from './storage/encryption/envelope-provider.ts';
export type {
  KeyService,
  KeyServiceCall,
  WrappedKey,
} from './storage/encryption/key-service.ts';
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
  CreateOptions,
  DeleteOptions,
  GetListOptions,
  GetOptions,
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
export type { GuardedState, StorageGuard } from './storage/contract/storage-guard.ts';
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
export {
  decodeStored,
  type DecodeStoredOptions,
  type StoredDocument,
} from './storage/scheme/decode-stored.ts';
export type { ProtobufEnvelope } from '../meta/protobuf/envelope.ts';
export { JsonSerializer } from './storage/scheme/json-serializer.ts';
export {
  openEnvelope,
  ProtobufSerializer,
} from './storage/scheme/protobuf-serializer.ts';
export type { StorageMediaType } from './storage/scheme/stored-object-codec.ts';
export { RecognizingDecoder } from './storage/scheme/recognizing-decoder.ts';
export {
  Scheme,
  type ConversionFunc,
  type DefaultingFunc,
  type KnownTypeOptions,
} from './storage/scheme/scheme.ts';
export { isSchemeError, SchemeError, type SchemeErrorCode } from './storage/scheme/scheme-error.ts';
export type { DecodeOptions, Encoding, Serializer } from './storage/scheme/serializer.ts';
export { YamlSerializer } from './storage/scheme/yaml-serializer.ts';
export {
  identityTransformer,
  type PlainValue,
  type TransformContext,
  type Transformer,
} from './storage/value/transformer.ts';
export type {
  AttributesFunc,
  ObjectAttributes,
  SelectionPredicate,
} from './storage/contract/selection-predicate.ts';
export type { Versioner } from './storage/contract/versioner.ts';
export type {
  HookParts,
  KindDefinition,
  KindType,
  NegativeReplicas,
  ScaleDefinition,
  SelectableFields,
} from './registry/contract/kind-definition.ts';
export type {
  AccessDecision,
  AccessParts,
  AccessQuestion,
  AccessRules,
  Authorization,
  Authorizer,
  TokenSigner,
  TokenVerdict,
} from './registry/contract/access-parts.ts';
export type { ContainerRequest, NodeConnector } from './registry/contract/node-connector.ts';
export type {
  FieldSchema,
  ListSchema,
  MapSchema,
  ScalarType,
} from '../meta/fields/field-schema.ts';
export type { UserInfo } from './registry/contract/user-info.ts';
export type { VersionConversion } from './registry/contract/version-conversion.ts';
export type { ObjectStore, UpdatedObject } from './registry/contract/object-store.ts';
export type {
  ServerParts,
  SubresourceFactory,
  SubresourceParts,
  VirtualResource,
} from './registry/contract/subresource-parts.ts';
export type { Certificate } from '../kernel/certificates/certificate-authority.ts';
export type { GroupResource } from './storage/encryption/configuration/resource-rules.ts';
export type { ReadinessState } from './cacher/reads/cacher-readiness.ts';
export type { WatchCacheHistoryOptions } from './cacher/window/watch-cache-history.ts';
export type { AdmissionHook } from './admission/admission-hook.ts';
export type {
  Admission,
  AdmissionOperation,
  AdmissionRequest,
  AdmissionScope,
  AdmittedVersion,
  AdmittedVersions,
} from './registry/contract/admission.ts';
export type { FinishWrite, StoreHooks, WriteTarget } from './registry/contract/store-hooks.ts';
export type {
  CreateStrategy,
  DeleteStrategy,
  ResourceStrategy,
  StrategyContext,
  UpdateStrategy,
} from './registry/contract/strategy.ts';
export type { MutableMetadata, MutableObject } from './registry/rules/mutable-object.ts';
export type { BodyFault, BodyFaults } from './registry/rules/body-faults.ts';
export type { MetadataRules } from './registry/rules/metadata-rules.ts';
export type { Format } from './registry/rules/name-forms.ts';
export type { NameRule } from './registry/rules/name-validation.ts';
export type { JsonRecord } from './registry/rules/json-value.ts';
export { DecodeProblems } from './registry/typed/decode-problems.ts';
