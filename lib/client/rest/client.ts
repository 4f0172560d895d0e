import type { ListerWatcher } from '../../cache/reflector/contract/lister-watcher.ts';
import { SharedCollections } from '../../cache/reflector/contract/shared-collections.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { Tracing } from '../../kernel/report/tracing.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ResourceName } from '../../meta/collection-options.ts';
import type { DeclaredTypes, ObjectOf, PluralOf, OtherPlural } from '../../meta/object-types.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { Stored } from '../../meta/stored.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import type { ClientInspection } from './request/client-inspection.ts';
import type { WrapReads } from './request/intercepted-reads.ts';
import type { WriteFence } from '../transport/contract/write-fence.ts';
import { applyAll } from './apply-all/apply-all.ts';
import type { ApplyAllOptions, AppliedObject, Manifests } from './apply-all/apply-all-options.ts';
import { checkTyped } from './request/call-options.ts';
import { ResourceCollection } from './request/resource-collection.ts';
import type { ApiResource } from './discovery/api-resource.ts';
import { Discovery, type DiscoveryCallOptions } from './discovery/discovery.ts';
import { DryRunTransport } from './request/dry-run-transport.ts';
import { droppingDecoder } from './decode/dropping-decoder.ts';
import { metadataDecoder } from './decode/metadata-decoder.ts';
import { JsonObjectDecoder, type ObjectDecoder } from './decode/object-decoder.ts';
import { OutageGate } from './outage-gate.ts';
import { ResourceClient } from './resource-client.ts';
import { SIGNAL_OPTIONS, WRITE_OBSERVER, type CallOptions } from './request/resource-options.ts';
import {
  LISTER_WATCHER,
  ResourceListerWatcher,
  type ListerWatcherOptions,
} from './resource-lister-watcher.ts';
import { REST_CLIENT, RestClient, type RestClientOptions } from './request/rest-client.ts';
import type { WriteCauses } from './request/write-causes.ts';
import type { WriteObserver } from './request/write-observer.ts';

export interface ClientOptions extends RestClientOptions {
  /** The namespace of the kubeconfig's context or of the pod. @defaultValue 'default' */
  readonly namespace?: string | undefined;
  /**
   * The name under which writes are recorded in managedFields; `apply` needs one. A name for the program, not for the replica.
   * @defaultValue the server takes the first part of the user agent, and each `apply` has to name one
   */
  readonly fieldManager?: string | undefined;
  /**
   * All writes are dry runs: the server checks them, answers, and stores nothing. Informers are not shown such writes. Objects that a
   * create answers with have no resource version. @defaultValue false
   */
  readonly dryRun?: boolean | undefined;
  /** Largest event of a watch, in bytes. @defaultValue 67 108 864 (64 MiB) */
  readonly maxFrameBytes?: number | undefined;
}

export interface ResourceOptions<T extends KubernetesObject = KubernetesObject> {
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /**
   * Gets the answers to writes; for example an informer, which then shows own writes at once. It does not get failed writes, dry
   * runs, and answers of subresources that are of another kind than the resource. @defaultValue none
   */
  readonly writes?: WriteObserver<Stored<T>> | undefined;
  /** `apply` takes fields from other managers unless the call has `force: false`. @defaultValue false */
  readonly forceApply?: boolean | undefined;
  /** Aborts all calls, besides the signal of a call. @defaultValue none */
  readonly signal?: AbortSignal | undefined;
  /** Decides before each write whether it may be sent; see `Client.fencedBy`. @defaultValue that of the client, if any */
  readonly fence?: WriteFence | undefined;
  /** With a tracer: whether its requests are spans. @defaultValue true */
  readonly traced?: boolean | undefined;
}

/** Options of `client.resourceOf` and `client.find`. */
export interface FindOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<ResourceOptions<T>, 'signal' | 'fence'>,
    DiscoveryCallOptions {}

export const CLIENT: OptionsSchema<ClientOptions> = optionsOf<ClientOptions>()('Client', {
  ...REST_CLIENT.rules,
  namespace: is.text(),
  fieldManager: is.text(),
  dryRun: is.flag(),
  maxFrameBytes: is.number({ min: 1 }),
});
const RESOURCE = optionsOf<ResourceOptions>()('resource', {
  namespace: is.text(),
  writes: WRITE_OBSERVER,
  forceApply: is.flag(),
  signal: is.abortSignal(),
  fence: is.object(),
  traced: is.flag(),
});

/** The answer of `GET /version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  /** E.g. `v1.36.0`. */
  readonly gitVersion: string;
  readonly gitCommit?: string | undefined;
  readonly platform?: string | undefined;
}

/**
 * A connection to one API server.
 *
 * The objects of built-in resources are typed. `Types` declares the types of others, or other types, once:
 * `Client<{ 'example.com/v1/widgets': Widget }>`, or `connect<…>()`. Informers of this client use it too. Resources that are not in it,
 * nor in `KnownResources`, are unstructured unless a call names a type.
 *
 * Guarantees: after `close` no connection is open, and running calls have failed with CLOSED.
 *
 * @example
 * await using client = await connect();
 * const pods = client.resource('v1', 'pods', { namespace: 'shop' });
 * for await (const pod of pods.items({ labelSelector: 'app=web' })) console.log(pod.metadata.name, pod.status?.phase);
 */
export class Client<Types extends object = object> implements AsyncDisposable {
  /** Exists only for the compiler: it passes `Types` to informers of this client. */
  acceptsTypes?(types: DeclaredTypes<Types>): void;
  /** The server's address. */
  readonly server: string;
  /** The default namespace for programs that use the client. The client itself does not add it to requests. */
  readonly namespace: string;
  readonly discovery: Discovery;
  readonly #options: ClientOptions;
  #rest: RestClient;
  readonly #gate: OutageGate;
  /** The names of the controllers that run with this client. @internal */
  readonly controllerNames: Set<string> = new Set();
  /** The collections that informers of this client run on. */
  readonly #collections = new SharedCollections();
  readonly #maxFrameBytes: number | undefined;
  readonly #fieldManager: string | undefined;
  readonly #dryRun: boolean;

  /** Most callers use `connect`. */
  constructor(options: ClientOptions) {
    const { namespace, fieldManager, dryRun, maxFrameBytes, ...restOptions } = CLIENT.read(options);
    this.#options = options;
    this.#dryRun = dryRun === true;
    const { transport } = restOptions;
    this.#rest = new RestClient(
      this.#dryRun ? { ...restOptions, transport: new DryRunTransport(transport) } : restOptions,
    );
    this.#maxFrameBytes = maxFrameBytes;
    this.#fieldManager = fieldManager;
    this.server = this.#rest.server;
    this.namespace = namespace ?? 'default';
    this.#gate = new OutageGate({ runtime: this.#rest.runtime, server: this.server });
    this.discovery = new Discovery(this.#rest);
  }

  /**
   * The verbs of a resource, e.g. `client.resource('apps/v1', 'deployments', { namespace: 'shop' })`: the objects of built-in resources,
   * of those in `Types` and of those in `KnownResources` have their types. Other resources are unstructured unless the call names a
   * type: `client.resource<Widget>('example.com/v1', 'widgets')`.
   * @throws {ListwatchError} code INVALID_API_VERSION or INVALID_OPTION.
   */
  resource<ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    options?: ResourceOptions<ObjectOf<Types, ApiVersion, Resource>>,
  ): ResourceClient<ObjectOf<Types, ApiVersion, Resource>>;
  resource<T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options?: ResourceOptions<NoInfer<T>>,
  ): ResourceClient<NoInfer<T>>;
  resource<ApiVersion extends string, Resource extends string>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    options?: ResourceOptions<ObjectOf<Types, ApiVersion, Resource>>,
  ): ResourceClient<ObjectOf<Types, ApiVersion, Resource>>;
  resource<T extends KubernetesObject>(
    apiVersion: string,
    resource: string,
    options: ResourceOptions<T> = {},
  ): ResourceClient<T> {
    const { signal, fence, traced } = RESOURCE.read(options);
    const rest = traced === false ? this.#rest.untraced() : this.#rest;
    const fenced = fence === undefined ? rest : rest.fencedBy(fence);
    return new ResourceClient<T>({
      rest: signal === undefined ? fenced : fenced.boundTo(signal),
      collection: new ResourceCollection(apiVersion, resource),
      decoder: new JsonObjectDecoder<Stored<T>>(),
      namespace: options.namespace,
      fieldManager: this.#fieldManager,
      writes: this.#dryRun ? undefined : options.writes,
      forceApply: options.forceApply,
    });
  }

  /**
   * The verbs of the resource of an object; the server says which one that is. If the resource has namespaces: in that of the object, of
   * the options, or of the client.
   *
   * @example
   * const maps = await client.resourceOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } });
   * console.log((await maps.get('web')).metadata.namespace);
   * @throws {ListwatchError} code RESOURCE_UNKNOWN or DISCOVERY_STALE, see `Discovery.find`; INVALID_OPTION for an object without type.
   */
  async resourceOf<T extends KubernetesObject>(
    object: T,
    options: FindOptions<T> = {},
  ): Promise<ResourceClient<T>> {
    const { signal, ...rest } = options;
    const { apiVersion, kind, metadata } = checkTyped('resourceOf', object);
    const found = await this.discovery.find(apiVersion, kind, { signal });
    const namespace = metadata?.namespace || rest.namespace;
    return this.#resourceOf<T>(found, { ...rest, namespace });
  }

  /**
   * The verbs of the resource that a person names, as kubectl takes it: see `Discovery.named`. A namespace of the options, or else that of
   * the client, counts only if the resource has namespaces.
   *
   * @example
   * const deployments = await client.find('deploy', { namespace: 'shop' });
   * for await (const one of deployments.items()) console.log(one.metadata?.name);
   * @throws {ListwatchError} code RESOURCE_UNKNOWN with the nearest names
   */
  async find<T extends KubernetesObject = UnstructuredObject>(
    text: string,
    options: FindOptions<T> = {},
  ): Promise<ResourceClient<T>> {
    const { signal, ...rest } = options;
    return this.#resourceOf<T>(await this.discovery.named(text, { signal }), rest);
  }

  /**
   * Applies manifests by server-side apply, in the order of an installation: namespaces, definitions (and waits until they are served),
   * policies, service accounts, roles, bindings, configuration, services, workloads, custom resources, webhooks. The manifests of one
   * phase are applied side by side. A failed manifest does not stop the others. Resolves to what was done, in the order of the manifests.
   *
   * @example
   * const done = await client.applyAll(await readFile('shop.yaml', 'utf8'), {
   *   fieldManager: 'shop',
   *   prune: { labelSelector: 'app=shop' },
   *   onResult: ({ result, kind, name }) => console.log(`${kind} ${name}: ${result}`),
   * });
   * @throws {ApplyAllError} code MANIFESTS_FAILED naming each manifest that failed with its cause, and with what was done.
   * {ListwatchError} before anything is sent: MANIFEST_INVALID naming document and line, INVALID_API_VERSION, INVALID_OPTION; the
   * signal's reason when it aborts: what was applied stays.
   */
  async applyAll(
    manifests: Manifests,
    options: ApplyAllOptions = {},
  ): Promise<readonly AppliedObject[]> {
    const { runtime, logger } = this.#rest;
    const target = {
      discovery: this.discovery,
      namespace: this.namespace,
      fieldManager: this.#fieldManager,
      runtime,
      logger,
      resource: (apiVersion: string, resource: string) =>
        this.resource<UnstructuredObject>(apiVersion, resource),
    };
    const asked = this.#dryRun ? { ...options, dryRun: true } : options;
    return await applyAll(target, manifests, asked);
  }

  /**
   * A client with the same connections whose writes need a lease: each is checked in the last step before its bytes leave, and ends before
   * the lease does. Reads and watches are as before. Close the client it was made from.
   *
   * @example
   * await elector.run({ lead: async ({ lease, signal }) => {
   *   const maps = client.fencedBy(lease).resource('v1', 'configmaps', { namespace: 'shop', signal });
   *   await maps.patch('leader', { data: { name: elector.identity } });
   * } });
   */
  fencedBy(fence: WriteFence): Client<Types> {
    const fenced = new Client<Types>(this.#options);
    fenced.#rest = this.#rest.fencedBy(fence);
    return fenced;
  }

  #resourceOf<T extends KubernetesObject>(
    { apiVersion, resource, namespaced }: ApiResource,
    { namespace = this.namespace, ...options }: ResourceOptions<T>,
  ): ResourceClient<T> {
    return this.resource<T>(apiVersion, resource, namespaced ? { ...options, namespace } : options);
  }

  /**
   * The source from which a reflector or an informer reads a resource.
   * @throws {ListwatchError} code INVALID_API_VERSION, INVALID_SELECTOR or INVALID_OPTION.
   */
  listerWatcher<T extends KubernetesObject = UnstructuredObject>(
    { apiVersion, resource }: ResourceName,
    options: ListerWatcherOptions = {},
  ): ListerWatcher<ObjectView<T>> {
    LISTER_WATCHER.read(options);
    const json = new JsonObjectDecoder<T>();
    const whole = options.managedFields === false ? droppingDecoder(json) : json;
    const decoder = options.metadataOnly === true ? metadataDecoder(whole) : whole;
    return new ResourceListerWatcher<T>({
      ...options,
      rest: this.#rest,
      gate: this.#gate,
      collections: this.#collections,
      collection: new ResourceCollection(apiVersion, resource),
      // The caller asserts the type of the objects.
      decoder: decoder as ObjectDecoder<T>,
      maxFrameBytes: this.#maxFrameBytes,
    });
  }

  /**
   * Stands between this client and those who list and watch collections through it: informers, and the lists and watches of resources.
   * `wrap` is called at the first request of each of them, and returns what it reads instead, e.g. the source with a look at what it
   * brings. For requests from now on, until the result is disposed; clients of `fencedBy` take part.
   */
  intercept(wrap: WrapReads): Disposable {
    return this.#rest.reads.add(wrap);
  }

  /** The clock and the timers of its requests. */
  get runtime(): Runtime {
    return this.#rest.runtime;
  }

  /** Undefined without a tracer. @internal */
  get tracing(): Tracing | undefined {
    return this.#rest.tracing;
  }

  /** The last writes through this client and those of `fencedBy`. @internal */
  get causes(): WriteCauses {
    return this.#rest.causes;
  }

  /** The version of the server. */
  async version(options: Pick<CallOptions, 'signal'> = {}): Promise<ServerVersion> {
    const { signal } = SIGNAL_OPTIONS.read(options, 'version');
    return await this.#rest.json<ServerVersion>({ method: 'GET', path: '/version', signal });
  }

  /** The connections at this moment, with the sessions of HTTP/2; undefined with a transport that does not count them. */
  inspect(): ClientInspection | undefined {
    return this.#rest.inspect();
  }

  /** Fails running calls at once, and resolves when all connections are closed. May be called again. */
  close(): Promise<void> {
    return this.#rest.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
