import { randomBytes } from 'node:crypto';
import { ListwatchError } from '../../kernel/errors.ts';
import { silentLogger, type Logger } from '../../kernel/logger.ts';
import { silentMetrics, type Metrics } from '../../kernel/metrics.ts';
import { rejectUnknownOptions } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { ListerWatcher } from '../../cache/reflector/contract/lister-watcher.ts';
import type { CollectionOptions, ResourceName } from '../../meta/collection-options.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import { EmbeddedKeyValueStore } from '../mvcc/embedded-key-value-store.ts';
import type { KeyValueStore } from '../mvcc/key-value-store.ts';
import { ApiResourceRegistry } from './api-resource-registry.ts';
import { builtInKinds } from '../registry/kinds/built-in-kinds.ts';
import { createApiHandler } from './api-handler.ts';
import type { ApiHandler } from './http/api-request.ts';
import { failureResponse } from './http/api-response.ts';
import { bearerAuthenticator, withAuthentication } from './http/authentication.ts';
import {
  HttpListener,
  type HttpListenerOptions,
  type ListenOptions,
} from './http/http-listener.ts';
import { writeKubeconfig } from './kubeconfig-writer.ts';
import { RegistryListerWatcher } from './registry-lister-watcher.ts';
import { toApiError } from './http/request-failures.ts';
import { selfSignedCertificate, type Certificate } from './http/self-signed-certificate.ts';
import { withStandardHeaders } from './http/standard-headers.ts';
import { ServerStorages, type TransformerFor } from './server-storages.ts';

export interface ApiServerOptions
  extends Pick<
    HttpListenerOptions,
    'maxConnections' | 'receiveTimeoutMs' | 'stuckClientTimeoutMs' | 'closeTimeoutMs'
  > {
  /** @defaultValue the machine's clock, timers and random source */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue says nothing */
  readonly logger?: Logger | undefined;
  /** @defaultValue counts nothing */
  readonly metrics?: Metrics | undefined;
  /**
   * The bearer token of clients, 16 characters at least. They may outlive a server in memory and meet its successor; with a
   * token of your own, resource versions begin at the clock, so that the successor tells them to list again.
   * @defaultValue 32 random bytes
   */
  readonly token?: string | undefined;
  /** The storage of the objects. The server does not close it. @defaultValue in memory, closed with the server */
  readonly keyValueStore?: KeyValueStore | undefined;
  /** How the objects of a resource are stored, e.g. encrypted by an `EncryptionConfiguration`. @defaultValue as they are */
  readonly transformerFor?: TransformerFor | undefined;
  /** Longest time for a request that is not a watch, milliseconds. @defaultValue 60 000 */
  readonly requestTimeoutMs?: number | undefined;
  /** The source of the token and of certificate serials. @defaultValue the operating system's */
  readonly randomBytes?: ((size: number) => Uint8Array) | undefined;
}

const OPTIONS = [
  'runtime',
  'logger',
  'metrics',
  'token',
  'keyValueStore',
  'transformerFor',
  'requestTimeoutMs',
  'randomBytes',
  'maxConnections',
  'receiveTimeoutMs',
  'stuckClientTimeoutMs',
  'closeTimeoutMs',
];

/** The user that the token stands for. */
const USER = 'listwatch:admin';
/** An unused key: reading it shows that the store answers. */
const PROBED_KEY = '\0listwatch';
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** The configuration with which a client reaches the server. */
export interface ServerAddress {
  readonly server: string;
  readonly token: string;
}

/**
 * A Kubernetes API server in this process: key-value engine, storage, watch caches, registry and HTTP.
 *
 * Guarantees:
 * - Usable without a socket: `handler` and `listerWatcher` work whether or not it listens.
 * - The first request is answered at once.
 * - A watch can begin at every version that the server has given out since it started, as long as history reaches back.
 * - After `close` no timer, socket or watch of it is left.
 *
 * Not guaranteed: anything after the process has ended, unless `keyValueStore` keeps it.
 */
export class ApiServer implements AsyncDisposable {
  /** The API as a function, without authentication: who can call it is in the process. */
  readonly handler: ApiHandler;
  /** Private, so that neither `inspect` nor `JSON.stringify` prints it. */
  readonly #token: string;
  readonly #runtime: Runtime;
  readonly #randomBytes: (size: number) => Uint8Array;
  readonly #ownStore: EmbeddedKeyValueStore | undefined;
  readonly #keyValueStore: KeyValueStore;
  readonly #storages: ServerStorages;
  readonly #registry: ApiResourceRegistry;
  readonly #listener: HttpListener;
  #hosts: readonly string[] = LOOPBACK;
  #certificate: Certificate | undefined;
  #started: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ApiServerOptions = {}) {
    rejectUnknownOptions('ApiServer', options, OPTIONS);
    const { runtime = realRuntime, logger = silentLogger, metrics = silentMetrics } = options;
    this.#runtime = runtime;
    this.#randomBytes = options.randomBytes ?? randomBytes;
    this.#token = options.token ?? Buffer.from(this.#randomBytes(32)).toString('base64url');
    this.#ownStore =
      options.keyValueStore === undefined
        ? new EmbeddedKeyValueStore({ runtime, firstRevision: firstRevision(options, runtime) })
        : undefined;
    this.#keyValueStore = options.keyValueStore ?? (this.#ownStore as KeyValueStore);
    const storages = new ServerStorages({
      keyValueStore: this.#keyValueStore,
      transformerFor: options.transformerFor,
      runtime,
      logger,
      metrics,
    });
    this.#storages = storages;
    this.#registry = new ApiResourceRegistry({
      kinds: builtInKinds,
      storageFor: (description, keyRoot) => storages.storageFor(description, keyRoot),
      runtime,
      logger,
    });
    const { requestTimeoutMs } = options;
    const handler = createApiHandler({
      registry: this.#registry,
      runtime,
      logger,
      requestTimeoutMs,
    });
    this.handler = withStandardHeaders(this.#afterStart(handler), runtime);
    this.#listener = new HttpListener({
      handler: withStandardHeaders(
        withAuthentication(this.handler, bearerAuthenticator(this.#token, USER)),
        runtime,
      ),
      certificate: () => this.#ownCertificate(),
      runtime,
      logger,
      maxConnections: options.maxConnections,
      receiveTimeoutMs: options.receiveTimeoutMs,
      stuckClientTimeoutMs: options.stuckClientTimeoutMs,
      closeTimeoutMs: options.closeTimeoutMs,
    });
  }

  /** The bearer token of clients. */
  get token(): string {
    return this.#token;
  }

  /** The address for plain HTTP. @throws {ListwatchError} code NOT_STARTED before `listen`. */
  get url(): string {
    return `http://${this.#address()}`;
  }

  /** The certificate of the server, PEM: TLS clients on the same port trust it and nothing else. */
  get certificateAuthority(): string {
    return this.#ownCertificate().certificate;
  }

  /**
   * Takes a port; 127.0.0.1 and a free one unless told otherwise. HTTP and TLS are both served on it.
   * @throws {ListwatchError} code PORT_IN_USE; LISTEN_FAILED; ALREADY_STARTED; CLOSED.
   */
  async listen(options: ListenOptions = {}): Promise<void> {
    const { host } = options;
    if (host !== undefined && !LOOPBACK.includes(host)) this.#hosts = [...LOOPBACK, host];
    await this.#start();
    await this.#listener.listen(options);
  }

  /** The options for `connect`. @throws {ListwatchError} code NOT_STARTED before `listen`. */
  clientConfig(): ServerAddress {
    return { server: this.url, token: this.token };
  }

  /**
   * Writes a kubeconfig that only its owner can read, for kubectl and other clients. It names the TLS address: they send
   * tokens over no other.
   * @throws {ListwatchError} code NOT_STARTED before `listen`; INVALID_OPTION when the file holds other clusters.
   */
  async writeKubeconfig(path: string): Promise<void> {
    const entry = {
      server: `https://${this.#address()}`,
      token: this.token,
      certificateAuthority: this.certificateAuthority,
    };
    await writeKubeconfig(path, entry, this.#runtime);
  }

  /**
   * One collection, straight from its watch cache with no HTTP in between; it may be one of a custom resource that is still to
   * come. It carries the stored objects themselves, decoded on first read; they must not be modified.
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
      registry: async () => {
        await this.#start();
        return this.#registry;
      },
    });
  }

  /**
   * Drops all history: a watch that wants to begin before now is refused with 410 and has to list again, as it would be
   * after some minutes on any server. Running watches go on. For trying out what clients do then.
   */
  async compact(): Promise<void> {
    await this.#start();
    const { revision, compactedRevision } = await this.#keyValueStore.status();
    if (revision > compactedRevision) await this.#keyValueStore.compact(revision);
    await this.#storages.forgetHistory(revision.toString());
  }

  /** Cuts every open connection; the server goes on listening. For trying out what clients do then. */
  closeConnections(): void {
    this.#listener.closeConnections();
  }

  /** Ends watches, lets other requests finish, and gives up port, caches and memory. Safe to call again. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await this.#listener.close();
    // Whatever start is still doing has to be over before its storages go.
    await this.#started?.catch(() => {});
    await this.#registry.close();
    await this.#ownStore?.close();
  }

  async #start(): Promise<void> {
    if (this.#closed !== undefined) throw new ListwatchError('CLOSED', 'the server is closed');
    this.#started ??= this.#begin();
    await this.#started;
  }

  /** A store that cannot be reached yet is asked again by the next request; nothing has begun then. */
  async #begin(): Promise<void> {
    try {
      await this.#keyValueStore.range({ key: PROBED_KEY, countOnly: true });
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
    this.#storages.start();
    await this.#registry.start();
  }

  #afterStart(handler: ApiHandler): ApiHandler {
    return async (request) => {
      try {
        await this.#start();
      } catch (error) {
        return failureResponse(toApiError(error));
      }
      return await handler(request);
    };
  }

  #address(): string {
    const { address } = this.#listener;
    if (address !== '') return address;
    throw new ListwatchError('NOT_STARTED', 'the server has no address yet: call listen() first');
  }

  #ownCertificate(): Certificate {
    this.#certificate ??= selfSignedCertificate({
      hosts: this.#hosts,
      nowMs: this.#runtime.wallMs(),
      serial: this.#randomBytes(16),
    });
    return this.#certificate;
  }
}

/** Above every version that an earlier server with this token gave out, unless that one wrote a million times a second. */
function firstRevision({ token }: ApiServerOptions, runtime: Runtime): bigint | undefined {
  return token === undefined ? undefined : BigInt(Math.floor(runtime.wallMs())) * 1000n;
}
