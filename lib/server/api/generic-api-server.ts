import { minorOf, NEWEST_MINOR } from '../../meta/releases/kubernetes-releases.ts';
import { randomBytes } from 'node:crypto';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { silentMetrics } from '../../kernel/report/metrics.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ListerWatcher } from '../../cache/reflector/contract/lister-watcher.ts';
import { SharedCollections } from '../../cache/reflector/contract/shared-collections.ts';
import type { CollectionOptions, ResourceName } from '../../meta/collection-options.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import type { EmbeddedKeyValueStore } from '../mvcc/embedded-key-value-store.ts';
import type { KeyValueStore } from '../mvcc/contract/key-value-store.ts';
import {
  API_SERVER,
  KUBECONFIG,
  type ApiServerOptions,
  type ClientCertificateOptions,
  type KubeconfigOptions,
  type SecretTokenOptions,
  type ServerAddress,
  type ServerListenOptions,
} from './api-server-options.ts';
import { ApiResourceRegistry } from './api-resource-registry.ts';
import type { Certificate } from '../../kernel/certificates/certificate-authority.ts';
import { ServerCertificates } from './certificates/server-certificates.ts';
import { observed, withAccess } from '../access/with-access.ts';
import { isHealthPath } from './health/health-endpoints.ts';
import { serverHealthChecks } from './health/server-health-checks.ts';
import type { KindSet, OwnService } from '../registry/contract/kind-set.ts';
import { reportProcess } from './metrics/process-metrics.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { secretTokenClaims } from '../access/tokens/secret-tokens.ts';
import { createApiHandler } from './api-handler.ts';
import type { ApiHandler } from '../http/api-request.ts';
import { failureResponse } from '../http/responses/document-response.ts';
import { withAuthentication } from '../access/authentication/authentication.ts';
import { HttpListener } from './port/http-listener.ts';
import type { RequestRecord } from './port/request-record.ts';
import { writeKubeconfig } from './kubeconfig-writer.ts';
import { RegistryListerWatcher } from './registry-lister-watcher.ts';
import { toApiError } from '../http/request-failures.ts';
import { newOwnStore } from './own-store.ts';
import { PodHandlers } from './pods/pod-handlers.ts';
import { Faults } from './faults/faults.ts';
import { withStandardHeaders } from '../http/responses/standard-headers.ts';
import {
  checkSnapshot,
  InitialState,
  initialSnapshot,
  restoreSnapshot,
  takeSnapshot,
  type ServerSnapshot,
} from './storages/server-snapshot.ts';
import { inspectionOf, type ServerInspection } from './storages/server-inspection.ts';
import { createBootstrapObjects } from './storages/create-bootstrap-objects.ts';
import { repeatUnanswered } from '../registry/writes/repeat-unanswered.ts';
import { isSameToken, serverAuthenticator, TOKEN_USER } from './server-authenticator.ts';
import { servedKinds } from './served-kinds.ts';
import { ServerStorages, type SeedingOptions } from './storages/server-storages.ts';

/** A key that is never written: reading it shows that the store responds. */
const PROBED_KEY = '\0listwatch';
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * An API server in this process with the kinds that it is given: key-value engine, storage, watch caches, registry and HTTP.
 *
 * Guarantees:
 * - It works without a socket: `handler` and `listerWatcher` can be used whether or not the server listens.
 * - Requests can be sent at once; the first one starts the server.
 * - A watch can begin at every version that the server has returned since it started, as far as history reaches.
 * - After `close` no timer, socket or watch of it is left.
 *
 * Not guaranteed: that anything is kept after the process has ended, unless `keyValueStore` is persistent.
 */
export class GenericApiServer implements AsyncDisposable {
  /** The API as a function, without authentication: its callers are in the process. */
  readonly handler: ApiHandler;
  /** Faults to test clients with: delays, resets, refusals, compactions, broken watches. */
  readonly faults: Faults;
  /** Answers of a test for pods, which no node runs: what their containers print, commands, forwarded ports. */
  readonly pods: PodHandlers;
  /** Private, so that neither `inspect` nor `JSON.stringify` prints it. */
  readonly #token: string;
  /** Whether requests without credentials are let in, as far as roles allow it. */
  readonly #anonymous: boolean;
  readonly #runtime: Runtime;
  readonly #randomBytes: (size: number) => Uint8Array;
  readonly #ownStore: EmbeddedKeyValueStore | undefined;
  readonly #keyValueStore: KeyValueStore;
  readonly #storages: ServerStorages;
  readonly #collections = new SharedCollections();
  readonly #registry: ApiResourceRegistry;
  readonly #kinds: KindSet;
  readonly #ownService: OwnService | undefined;
  readonly #certificates: ServerCertificates;
  readonly #listener: HttpListener;
  #hosts: readonly string[] = LOOPBACK;
  /** The state after the start; undefined for a store that may have had content before. */
  readonly #initial: InitialState | undefined;
  #started: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /**
   * @param standardKinds The kinds when the options name none.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  constructor(options: ApiServerOptions, standardKinds: KindSet) {
    API_SERVER.read(options);
    const kinds = (options.kinds ?? standardKinds).ofMinor(minorOf(options.version));
    const { runtime = realRuntime, metrics = silentMetrics } = options;
    const logger = guardedLogger(options.logger ?? consoleLogger);
    const { serviceAccountAdmission, serviceAccountKey, resolveService, admission, tls } = options;
    const { authorization = 'rbac' } = options;
    this.#anonymous = authorization === 'rbac';
    this.#runtime = runtime;
    this.#randomBytes = options.randomBytes ?? randomBytes;
    this.#token = options.token ?? Buffer.from(this.#randomBytes(32)).toString('base64url');
    this.#ownStore = newOwnStore(options, runtime);
    this.#keyValueStore = options.keyValueStore ?? (this.#ownStore as KeyValueStore);
    this.#initial = this.#ownStore && new InitialState(this.#ownStore);
    const serverMetrics = new ServerMetrics({ metrics, logger });
    // The use of a real process is no part of a run that must repeat.
    if (runtime === realRuntime) serverMetrics.collect([], reportProcess);
    this.#kinds = servedKinds(kinds, options);
    this.#ownService = this.#newOwnService(runtime, logger);
    this.#storages = new ServerStorages({
      complete: (object) => kinds.withReadDefaults(object),
      completesJson: options.keyValueStore !== undefined && kinds.minor !== NEWEST_MINOR,
      keyValueStore: this.#keyValueStore,
      transformerFor: options.transformerFor,
      seeding: this.#seeding(),
      storageMediaType: options.storageMediaType,
      runtime,
      logger,
      metrics: serverMetrics,
    });
    this.pods = new PodHandlers(runtime, logger);
    this.#registry = new ApiResourceRegistry({
      nodes: this.pods,
      kinds: this.#kinds,
      userOfToken: (token) => (isSameToken(token, this.#token) ? TOKEN_USER : undefined),
      authorization,
      serviceAccountAdmission,
      serviceAccountKey,
      resolveService,
      admission,
      storageFor: (description, keyRoot) => this.#storages.storageFor(description, keyRoot),
      runtime,
      logger,
    });
    const { tokens: tokenIssuer } = this.#registry.parts.access;
    const authorizer = observed(this.#registry.parts.access.authorizer, options.onAccess);
    const handler = createApiHandler({
      registry: this.#registry,
      runtime,
      logger,
      requestTimeoutMs: options.requestTimeoutMs,
      unsafeObjectDeletion: options.unsafeObjectDeletion,
      featureGates: options.featureGates,
      authorizer,
      metrics: serverMetrics,
      tokenIssuer,
      healthChecks: serverHealthChecks({
        runtime,
        probeStore: () => this.#probeStore(),
        whenStarted: () => this.#start(),
        whenCachesReady: () => this.#storages.whenReady(),
        isClosing: () => this.#closed !== undefined,
        further: options.healthChecks,
      }),
    });
    this.faults = new Faults({ runtime, compact: () => this.compact() });
    const guarded = withAccess(this.faults.around(handler), authorizer);
    this.handler = withStandardHeaders(this.#afterStart(guarded), runtime);
    this.#certificates = new ServerCertificates({ runtime, randomBytes: this.#randomBytes, tls });
    this.#listener = this.#newListener(options, runtime, logger);
  }

  /** The bearer token of clients. */
  get token(): string {
    return this.#token;
  }

  /** The address for plain HTTP. @throws {ListwatchError} code NOT_STARTED before `listen`. */
  get url(): string {
    return `http://${this.#address()}`;
  }

  /**
   * The certificate of the server's own authority, PEM; valid for ten years. The server presents a leaf certificate that it has
   * signed. TLS clients on the same port should trust it and no other. With a given certificate: the self-signed ones of its chain.
   */
  get certificateAuthority(): string {
    return this.#certificates.authority;
  }

  /** The server's own authority with its key, for the option `tls.authority` of a later server. It is a secret. */
  storedAuthority(): Certificate {
    return this.#certificates.storedAuthority();
  }

  /**
   * A certificate with which a TLS client authenticates, valid for a year. As on a cluster, the groups decide what it may do where
   * access is checked.
   */
  issueClientCertificate({ user, groups = [] }: ClientCertificateOptions): Certificate {
    return this.#certificates.issueClient(user, groups);
  }

  /** The public key of the tokens of service accounts, as a JSON web key set. */
  serviceAccountKeys(): object {
    return this.#registry.parts.access.tokens.keySet();
  }

  /** A token without an end for a secret of its account: it is valid as long as both exist and the secret has it. */
  issueSecretToken(options: SecretTokenOptions): string {
    return this.#registry.parts.access.tokens.sign(secretTokenClaims(options));
  }

  /**
   * Listens on a port; by default on 127.0.0.1 and a free port. HTTP and TLS are both served on it.
   * @throws {ListwatchError} code PORT_IN_USE; LISTEN_FAILED; ALREADY_STARTED; CLOSED.
   */
  async listen({ lazy = false, ...options }: ServerListenOptions = {}): Promise<void> {
    const { host } = options;
    if (host !== undefined && !LOOPBACK.includes(host)) this.#hosts = [...LOOPBACK, host];
    if (!lazy) await this.#start();
    await this.#listener.listen(options);
    if (this.#started === undefined) return;
    await this.#started;
    await this.#publishPort();
  }

  /**
   * Starts caches, addresses and default objects, as the first request and `listen` do. May be called again.
   * @throws {ListwatchError} code CLOSED; the error of a store that cannot be reached.
   */
  async start(): Promise<void> {
    await this.#start();
  }

  /** The options for `connect`. @throws {ListwatchError} code NOT_STARTED before `listen`. */
  clientConfig(): ServerAddress {
    return { server: this.url, token: this.token };
  }

  /**
   * Writes a kubeconfig for kubectl and other clients, readable by its owner only. It contains the TLS address, because these
   * clients send tokens over TLS only.
   * @throws {ListwatchError} code NOT_STARTED before `listen`; INVALID_OPTION when the file contains other clusters; KUBECONFIG_FILE when it
   * cannot be written.
   */
  async writeKubeconfig(path: string, options: KubeconfigOptions = {}): Promise<void> {
    KUBECONFIG.read(options);
    const entry = {
      server: `https://${this.#address()}`,
      token: this.token,
      certificateAuthority: this.certificateAuthority,
      clientCertificate: options.clientCertificate,
    };
    await writeKubeconfig(path, entry, this.#runtime);
  }

  /**
   * Lists and watches one collection directly in its watch cache, without HTTP. The collection may be one of a custom resource
   * that does not exist yet. It returns the stored objects, decoded on first read; they must not be modified.
   * @throws {ListwatchError} code INVALID_API_VERSION; INVALID_SELECTOR.
   */
  listerWatcher<T extends KubernetesObject = UnstructuredObject>(
    { apiVersion, resource }: ResourceName,
    options: CollectionOptions = {},
  ): ListerWatcher<ObjectView<T>> {
    return new RegistryListerWatcher<T>({
      ...options,
      apiVersion,
      resource,
      runtime: this.#runtime,
      collections: this.#collections,
      registry: async () => {
        await this.#start();
        return this.#registry;
      },
    });
  }

  /**
   * Compacts all history: a watch that starts before now gets 410 and has to list again, as it would after some minutes on any
   * server. Running watches continue. For testing the behaviour of clients.
   */
  async compact(): Promise<void> {
    await this.#start();
    const { revision, compactedRevision } = await this.#keyValueStore.status();
    if (revision > compactedRevision) await this.#keyValueStore.compact(revision);
    await this.#storages.forgetHistory(revision.toString());
  }

  /**
   * All objects at this moment, for `restore`. It copies no object, and takes about a millisecond for 1 000 of them.
   * @throws {ListwatchError} code CLOSED.
   */
  async snapshot(): Promise<ServerSnapshot> {
    await this.#start();
    await this.#storages.seedAll();
    return await takeSnapshot(this.#keyValueStore);
  }

  /**
   * Returns to the objects of a snapshot, of this server or of another one, so that each test starts alike.
   *
   * - What differs is written, so resource versions go on rising and running watches continue: they get ADDED, MODIFIED and DELETED.
   *   Restored objects keep their uid and get a new resource version. A reader that is too slow for that lists again.
   * - When it resolves, watch caches, allocated addresses and served custom resources are those of the restored state, and the
   *   readers of watches have the events.
   * - Objects whose time to live has ended since are left out.
   * - In a store that other processes write to, such as etcd, it takes one request for each object and is not atomic.
   *
   * Not guaranteed: the fate of requests that run at the same time.
   * @throws {ListwatchError} code INVALID_OPTION for something else than a snapshot of this process; CLOSED.
   */
  async restore(snapshot: ServerSnapshot): Promise<void> {
    checkSnapshot(snapshot);
    await this.#start();
    await this.#storages.seedAll();
    await this.#return(snapshot);
  }

  async #return(snapshot: ServerSnapshot): Promise<void> {
    await restoreSnapshot(this.#keyValueStore, snapshot);
    const { revision } = await this.#keyValueStore.status();
    await this.#storages.settle(revision.toString());
    await this.#registry.reload();
    await this.#publishPort();
  }

  /**
   * Returns to the state after the start, as `restore` does: an empty server. Faults are cleared.
   * @throws {ListwatchError} code INVALID_OPTION for a server with the option `keyValueStore`, which may have had content before.
   */
  async reset(): Promise<void> {
    await this.#start();
    const initial = initialSnapshot(this.#initial);
    this.faults.clear();
    await this.#return(initial);
  }

  /** The state at this moment: revisions, and the watch cache of each resource that was read. It starts no cache. */
  async inspect(): Promise<ServerInspection> {
    const parts = { listener: this.#listener, faults: this.faults, storages: this.#storages };
    return inspectionOf(await this.#keyValueStore.status(), parts);
  }

  /** Calls a function after each request over the port, as option `onRequest` does, until the returned one is called. */
  observeRequests(observer: (record: RequestRecord) => void): () => void {
    return this.#listener.observeRequests(observer);
  }

  /**
   * Destroys every open connection; the server continues to listen. For testing the behaviour of clients.
   *
   * Await it before the next write of a client in this process: until then the client may send the write on a connection that is closed
   * already, and it fails with CONNECTION_FAILED.
   */
  async closeConnections(): Promise<void> {
    await this.#listener.closeConnections();
  }

  /** Ends watches, lets other requests finish, and releases port, caches and memory. May be called again. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(new ListwatchError('CLOSED', 'the server is closed'));
    await this.#listener.close();
    // The start has to be over before its storages are closed.
    await this.#started?.catch(() => {});
    await this.#ownService?.close();
    await this.#registry.close();
    await this.#ownStore?.close();
  }

  async #start(): Promise<void> {
    if (this.#closed !== undefined) throw new ListwatchError('CLOSED', 'the server is closed');
    this.#started ??= this.#begin();
    await this.#started;
  }

  /** Starts the server. If the store cannot be reached, nothing has been started, and the next request tries again. */
  async #begin(): Promise<void> {
    try {
      await this.#probeStore();
      await this.#storages.start();
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
    const { parts } = this.#registry;
    const { signal } = this.#closing;
    await this.#registry.start(signal);
    const untilAnswered = (work: () => Promise<void>): Promise<void> =>
      repeatUnanswered({ runtime: parts.runtime, signal }, work);
    await untilAnswered(async () => await this.#ownService?.start());
    if (this.#initial === undefined) {
      await createBootstrapObjects(parts, this.#kinds.bootstrapObjects, signal);
    }
    await untilAnswered(() => this.#publishPort());
    await this.#initial?.take();
  }

  /** Only the own store is known to be new. */
  #seeding(): SeedingOptions | undefined {
    const initial = this.#initial;
    if (initial === undefined) return undefined;
    return {
      objects: [...this.#kinds.bootstrapObjects, ...(this.#ownService?.objects ?? [])],
      onStored: (prefix) => initial.add(prefix),
    };
  }

  async #probeStore(): Promise<void> {
    await this.#keyValueStore.range({ key: PROBED_KEY, countOnly: true });
  }

  /** Writes the port into the service of the server. */
  async #publishPort(): Promise<void> {
    const { address } = this.#listener;
    if (address === '') return;
    await this.#ownService?.setPort(Number(address.slice(address.lastIndexOf(':') + 1)));
  }

  #newOwnService(runtime: Runtime, logger: Logger): OwnService | undefined {
    return this.#kinds.newOwnService?.({
      storeOf: (...name) => this.#registry.parts.storeOf(...name),
      isSeeded: this.#initial !== undefined,
      runtime,
      logger,
    });
  }

  #newListener(options: ApiServerOptions, runtime: Runtime, logger: Logger): HttpListener {
    const authenticator = serverAuthenticator({
      token: this.#token,
      certificates: this.#certificates,
      access: this.#registry.parts.access,
      whenStarted: () => this.#start(),
      runtime,
    });
    return new HttpListener({
      handler: withStandardHeaders(
        withAuthentication(this.handler, authenticator, { anonymous: this.#anonymous }),
        runtime,
      ),
      certificate: () => this.#certificates.leaf(this.#hosts),
      asksForCertificate: () => this.#certificates.clients !== undefined,
      runtime,
      logger,
      maxConnections: options.maxConnections,
      receiveTimeoutMs: options.receiveTimeoutMs,
      stuckClientTimeoutMs: options.stuckClientTimeoutMs,
      closeTimeoutMs: options.closeTimeoutMs,
      onRequest: options.onRequest,
    });
  }

  #afterStart(handler: ApiHandler): ApiHandler {
    return async (request) => {
      // Health says why a server does not start.
      if (isHealthPath(request.url)) return await handler(request);
      try {
        await this.#start();
      } catch (error) {
        return failureResponse(toApiError(error), request);
      }
      return await handler(request);
    };
  }

  #address(): string {
    const { address } = this.#listener;
    if (address !== '') return address;
    throw new ListwatchError('NOT_STARTED', 'the server has no address yet: call listen() first');
  }
}
