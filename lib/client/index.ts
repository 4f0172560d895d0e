export { ConnectionConfig } from './config/contract/connection-config.ts';
export type { KubeconfigSource } from './config/kubeconfig/kubeconfig-source.ts';
export { loadConfig, type LoadConfigOptions } from './config/load-config.ts';
export {
  Client,
  type ClientOptions,
  type FindOptions,
  type ResourceOptions,
  type ServerVersion,
} from './rest/client.ts';
export { connect, type ConnectOptions } from './rest/connect.ts';
export type { DiscoveryCallOptions } from './rest/discovery/discovery.ts';
export type { ApiResource } from './rest/discovery/api-resource.ts';
export type { WriteFence } from './transport/contract/write-fence.ts';
export { ResourceClient } from './rest/resource-client.ts';
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ItemsOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  Storing,
  WriteOptions,
} from './rest/request/resource-options.ts';
export type { PatchType } from './rest/request/call-options.ts';
export type { ClientInspection } from './rest/request/client-inspection.ts';
export type { WrapReads } from './rest/request/intercepted-reads.ts';
export type { CollectionReader } from '../meta/collection-options.ts';
export type { Subresource } from './rest/subresources/subresource-client.ts';
export type {
  BoundToken,
  EvictOptions,
  Scale,
  TokenOptions,
} from './rest/subresources/subresource-objects.ts';
export { ApplyAllError } from './rest/apply-all/apply-all.ts';
export type {
  ApplyAllOptions,
  AppliedObject,
  FailedManifest,
  Manifests,
} from './rest/apply-all/apply-all-options.ts';
export type { FollowLogOptions, LogOptions } from './rest/streams/logs/pod-log-options.ts';
export type { ResourceUsage } from './rest/read/resource-usage.ts';
export type { CopyReport } from './rest/streams/copy/copy-counts.ts';
export type { PodProcess } from './rest/streams/command/pod-process.ts';
export { PodStreamError, type PodFailure } from './rest/streams/pod/pod-stream-error.ts';
export type {
  AttachOptions,
  CopyOptions,
  ExecOptions,
  ExecResult,
  SpawnOptions,
  StreamOptions,
} from './rest/streams/pod/pod-stream-options.ts';
export type { PortForward, PortForwardOptions } from './rest/streams/ports/forward-ports.ts';
export { appliedBy, type AppliedByOptions } from './rest/helpers/applied-by.ts';
export { retryOnConflict, type RetryOnConflictOptions } from './rest/helpers/retry-on-conflict.ts';
export type { Change, CreatedOrUpdated } from './rest/helpers/create-or-update.ts';
export type { MigrateOptions } from './rest/helpers/migrate-to-apply.ts';
export type { WaitCondition, ObjectWaitOptions } from './rest/helpers/wait-for-object.ts';
export { sameContent, type SameContentOptions } from '../meta/content/same-content.ts';
export type { ApplyConfiguration } from '../meta/apply-configuration.ts';
export type { ListerWatcherOptions } from './rest/resource-lister-watcher.ts';
export type { TokenSource } from './transport/request-credentials.ts';
export { AxiosTransport, type AxiosTransportOptions } from './transport/axios-transport.ts';
export {
  Credential,
  type CredentialFields,
  type CredentialSource,
} from './transport/contract/credential.ts';
export type { TransportInspection } from './transport/contract/transport-inspection.ts';
export type { Impersonation } from './transport/contract/impersonation.ts';
export type { Timeouts } from './transport/contract/timeouts.ts';
export type { TlsOptions } from './transport/contract/tls-options.ts';
export { requestMetrics } from './transport/flow/request-metrics.ts';
export type { RequestTrace } from './transport/flow/request-trace.ts';
export type { WaitReason } from './transport/contract/request-timing.ts';
export type { MessageListeners } from './transport/contract/message-socket.ts';
export { TransportError, type TransportErrorCode } from './transport/contract/transport-error.ts';
export type {
  BodyReader,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/contract/transport.ts';
export type { ServerWarning } from './transport/warning-header.ts';
export type { ResourceName } from '../meta/collection-options.ts';
export type { ConnectionConfigFields } from './config/contract/connection-config.ts';
export type { ExchangeTarget } from './transport/contract/transport-error.ts';
export type { DeclaredTypes, ObjectOf, OtherPlural, PluralOf } from '../meta/object-types.ts';
export type { GroupVersion, GroupVersionKind } from '../meta/resource.ts';
export type { Status, StatusReason } from '../meta/failure/status.ts';
export type { ApiErrorContext } from '../meta/failure/api-error.ts';
export type { FailedRequest } from '../meta/api-call.ts';
