import {
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
} from '../../meta/releases/kubernetes-releases.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import {
  STORAGE_MEDIA_TYPES,
  type StorageMediaType,
} from '../storage/scheme/stored-object-codec.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { AdmissionHook } from '../admission/admission-hook.ts';
import {
  AUTHORIZATIONS,
  type AccessQuestion,
  type Authorization,
} from '../registry/contract/access-parts.ts';
import type { KindSet } from '../registry/contract/kind-set.ts';
import type { EmbeddedKeyValueStore } from '../mvcc/embedded-key-value-store.ts';
import type { KeyValueStore } from '../mvcc/contract/key-value-store.ts';
import type { Certificate } from '../../kernel/certificates/certificate-authority.ts';
import type { ServerTlsOptions } from './certificates/server-certificates.ts';
import { FEATURE_GATES, type FeatureGates } from './feature-gates.ts';
import type { HealthCheck } from './health/health-endpoints.ts';
import type { ListenOptions } from './port/http-listener.ts';
import { HTTP_LISTENER, type HttpListenerOptions } from './port/http-listener-options.ts';
import type { ServiceResolver } from '../webhooks/service-resolver.ts';
import type { TransformerFor } from './storages/server-storages.ts';

export interface ApiServerOptions
  extends Pick<
    HttpListenerOptions,
    'maxConnections' | 'receiveTimeoutMs' | 'stuckClientTimeoutMs' | 'closeTimeoutMs' | 'onRequest'
  > {
  /** @defaultValue the machine's clock, timers and random source */
  readonly runtime?: Runtime | undefined;
  /** The kinds that the server always serves. @defaultValue `builtInKinds`: those of Kubernetes */
  readonly kinds?: KindSet | undefined;
  /**
   * The minor version of Kubernetes that the server is: its kinds, fields, defaults and rules. An object of a newer version is read as
   * that version reads it, without the fields that it does not know. @defaultValue the newest one
   */
  readonly version?: KubernetesVersion | undefined;
  /** @defaultValue nothing is logged */
  readonly logger?: Logger | undefined;
  /** @defaultValue nothing is recorded */
  readonly metrics?: Metrics | undefined;
  /**
   * The bearer token of clients, at least 16 characters. With a fixed token, clients may outlive a server in memory and connect to
   * its successor. Resource versions then begin at the present time, so that the successor makes these clients list again.
   * @defaultValue 32 random bytes
   */
  readonly token?: string | undefined;
  /** The storage of the objects. The server does not close it. @defaultValue in memory, closed with the server */
  readonly keyValueStore?: KeyValueStore | undefined;
  /**
   * An embedded store with the state of an earlier server of this process that had a store of its own: its default objects are not
   * looked for again, which makes the start fast. The server closes it.
   * @internal
   */
  readonly earlierStore?: EmbeddedKeyValueStore | undefined;
  /**
   * The full names of the built-in resources that are served, as `pods` or `deployments.apps`: a server of few resources starts faster.
   * It needs `namespaces`, `services` and `customresourcedefinitions.apiextensions.k8s.io`. @defaultValue all
   * @internal
   */
  readonly builtInResources?: ReadonlySet<string> | undefined;
  /** The transformer for the objects of a resource, e.g. from an `EncryptionConfiguration`. @defaultValue they are stored as they are */
  readonly transformerFor?: TransformerFor | undefined;
  /**
   * Further checks of `/healthz`, `/livez` and `/readyz`, e.g. `healthChecks()` of an `EncryptionConfiguration`.
   * @defaultValue none
   */
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  /**
   * How objects are written into the storage. Both are always read, side by side; custom resources are always written as JSON.
   * @defaultValue 'application/json'
   */
  readonly storageMediaType?: StorageMediaType | undefined;
  /**
   * The authorization mode. `'rbac'`: roles and their bindings decide, as on a cluster. The user of `token` is in `system:masters` and may
   * do everything; requests without credentials are of `system:anonymous`; service accounts and client certificates of other groups
   * need a binding. `'always-allow'`: everybody with credentials may do everything. @defaultValue 'rbac'
   */
  readonly authorization?: Authorization | undefined;
  /**
   * Called with each right that a request needs, whether or not its user has it: what a program needs can be recorded. Nothing is asked
   * about users who may do everything: the one of `token` and others in `system:masters`. It must not throw. @defaultValue nothing is called
   */
  readonly onAccess?: ((question: AccessQuestion) => void) | undefined;
  /**
   * Whether containers may be privileged, and host processes of Windows: the flag `--allow-privileged` of kube-apiserver, which is
   * off by default and on in every cluster. @defaultValue true
   */
  readonly allowPrivileged?: boolean | undefined;
  /**
   * Whether `ignoreStoreReadErrorWithClusterBreakingPotential` of a deletion removes an object that cannot be read: the feature gate
   * AllowUnsafeMalformedObjectDeletion of kube-apiserver. Without it, the option is ignored.
   * @defaultValue true since Kubernetes 1.37
   */
  readonly unsafeObjectDeletion?: boolean | undefined;
  /**
   * Features of kube-apiserver that are off by default: `{ ManagedFieldsOptOut: true }`. Each is one that can be switched on here; other
   * gates are those of features that are always on, or not there. @defaultValue all are off
   * @experimental
   */
  readonly featureGates?: FeatureGates | undefined;
  /**
   * Whether pods get a service account, its token and its pull secrets, and need an account that exists: the admission ServiceAccount of
   * kube-apiserver. Something has to make the account `default` of each namespace, as `startCluster` does, which sets this.
   * @defaultValue false
   */
  readonly serviceAccountAdmission?: boolean | undefined;
  /** Certificates to present, and to accept of clients. @defaultValue the server makes its own authority */
  readonly tls?: ServerTlsOptions | undefined;
  /**
   * The private key that signs the tokens of service accounts: curve P-256, PEM. Tokens are valid in every server with this key.
   * @defaultValue a new one
   */
  readonly serviceAccountKey?: string | undefined;
  /**
   * Where the services are that `clientConfig.service` of webhooks names: the origin for a name, a namespace and a port.
   * @defaultValue `https://NAME.NAMESPACE.svc:PORT`, which only resolves within a cluster
   */
  readonly resolveService?: ServiceResolver | undefined;
  /**
   * Functions that change and refuse requests, in the place of webhooks: tests need no HTTPS server. They run in this order, before
   * the webhooks. @defaultValue none
   */
  readonly admission?: readonly AdmissionHook[] | undefined;
  /** Longest duration of a request that is not a watch, milliseconds. @defaultValue 60 000 */
  readonly requestTimeoutMs?: number | undefined;
  /** The source of the token and of certificate serials. @defaultValue the operating system's */
  readonly randomBytes?: ((size: number) => Uint8Array) | undefined;
}

function isKindSet(value: unknown): value is KindSet {
  const { definitions, plugIns } = Object(value) as Partial<KindSet>;
  return typeof definitions === 'function' && typeof plugIns === 'function';
}

const { maxConnections, receiveTimeoutMs, stuckClientTimeoutMs, closeTimeoutMs, onRequest } =
  HTTP_LISTENER.rules;
export const API_SERVER: OptionsSchema<ApiServerOptions> = optionsOf<ApiServerOptions>()(
  'ApiServer',
  {
    kinds: is.rule<KindSet>('builtInKinds or noKinds', isKindSet),
    version: is.oneOf(...KUBERNETES_VERSIONS),
    runtime: is.object(),
    logger: LOGGER,
    metrics: is.object(),
    token: is.text(),
    keyValueStore: is.object(),
    earlierStore: is.object(),
    builtInResources: is.object(),
    transformerFor: is.callback(),
    healthChecks: is.rule<readonly HealthCheck[]>('an array', Array.isArray),
    storageMediaType: is.oneOf(...STORAGE_MEDIA_TYPES),
    authorization: is.oneOf(...AUTHORIZATIONS),
    onAccess: is.callback(),
    allowPrivileged: is.flag(),
    unsafeObjectDeletion: is.flag(),
    featureGates: FEATURE_GATES.nested,
    serviceAccountAdmission: is.flag(),
    tls: is.object(),
    serviceAccountKey: is.text(),
    resolveService: is.callback(),
    admission: is.rule<readonly AdmissionHook[]>('an array', Array.isArray),
    requestTimeoutMs: is.number({ min: 1 }),
    randomBytes: is.callback(),
    maxConnections,
    receiveTimeoutMs,
    stuckClientTimeoutMs,
    closeTimeoutMs,
    onRequest,
  },
);

export interface ClientCertificateOptions {
  /** The name of the user. */
  readonly user: string;
  /** @defaultValue none */
  readonly groups?: readonly string[] | undefined;
}

/** The secret of type `kubernetes.io/service-account-token` that a token is for, and its account. */
export interface SecretTokenOptions {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

export interface KubeconfigOptions {
  /** A result of `issueClientCertificate`, in place of the token. */
  readonly clientCertificate?: Certificate | undefined;
}

/** The configuration with which a client connects to the server. */
export interface ServerAddress {
  readonly server: string;
  readonly token: string;
}

/** Where `listen` listens, and when the server starts. */
export interface ServerListenOptions extends ListenOptions {
  /**
   * Whether `listen` only opens the port. The first request, or `start`, then starts the server. A failure of the start is in the
   * answers of requests. @defaultValue false
   */
  readonly lazy?: boolean | undefined;
}

export const KUBECONFIG: OptionsSchema<KubeconfigOptions> = optionsOf<KubeconfigOptions>()(
  'writeKubeconfig',
  { clientCertificate: is.object() },
);
