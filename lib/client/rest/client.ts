import type { ListerWatcher } from '../../cache/reflector/lister-watcher.ts';
import { rejectUnknownOptions } from '../../kernel/options.ts';
import type { ResourceName } from '../../meta/collection.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import { Collection } from './collection.ts';
import { Discovery } from './discovery.ts';
import { JsonObjectDecoder } from './object-decoder.ts';
import { ResourceClient, type CallOptions } from './resource-client.ts';
import {
  LISTER_WATCHER_OPTIONS,
  ResourceListerWatcher,
  type ListerWatcherOptions,
} from './resource-lister-watcher.ts';
import { REST_CLIENT_OPTIONS, RestClient, type RestClientOptions } from './rest-client.ts';

export interface ClientOptions extends RestClientOptions {
  /** The namespace of the kubeconfig's context or of the pod. @defaultValue 'default' */
  readonly namespace?: string | undefined;
  /** Largest event of a watch, in bytes. @defaultValue 67 108 864 (64 MiB) */
  readonly maxFrameBytes?: number | undefined;
}

export interface ResourceOptions {
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
}

/** What `GET /version` says. */
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
 * Guarantees: after `close` no connection is open, and what was running has failed with CLOSED.
 *
 * @example
 * await using client = await connect();
 * const pods = client.resource<Pod>('v1', 'pods', { namespace: 'shop' });
 * for await (const pod of pods.items({ labelSelector: 'app=web' })) console.log(pod.metadata?.name);
 */
export class Client implements AsyncDisposable {
  /** The server's address. */
  readonly server: string;
  /** The namespace to work in where nothing else is said; the client itself adds it to no request. */
  readonly namespace: string;
  readonly discovery: Discovery;
  readonly #rest: RestClient;
  readonly #maxFrameBytes: number | undefined;

  /** Most callers use `connect`. */
  constructor(options: ClientOptions) {
    const known = [...REST_CLIENT_OPTIONS, 'namespace', 'maxFrameBytes'];
    rejectUnknownOptions('Client', options, known);
    const { namespace, maxFrameBytes, ...restOptions } = options;
    this.#rest = new RestClient(restOptions);
    this.#maxFrameBytes = maxFrameBytes;
    this.server = this.#rest.server;
    this.namespace = namespace ?? 'default';
    this.discovery = new Discovery(this.#rest);
  }

  /**
   * The verbs of a resource, e.g. `client.resource<Deployment>('apps/v1', 'deployments', { namespace: 'shop' })`.
   * @throws {ListwatchError} code INVALID_API_VERSION or INVALID_OPTION.
   */
  resource<T extends KubernetesObject = UnstructuredObject>(
    apiVersion: string,
    resource: string,
    options: ResourceOptions = {},
  ): ResourceClient<T> {
    rejectUnknownOptions('resource', options, ['namespace']);
    return new ResourceClient<T>({
      rest: this.#rest,
      collection: new Collection(apiVersion, resource),
      decoder: new JsonObjectDecoder<T>(),
      namespace: options.namespace,
    });
  }

  /**
   * The source a reflector or an informer reads a resource from.
   * @throws {ListwatchError} code INVALID_API_VERSION or INVALID_OPTION.
   */
  listerWatcher<T extends KubernetesObject = UnstructuredObject>(
    { apiVersion, resource }: ResourceName,
    options: ListerWatcherOptions = {},
  ): ListerWatcher<ObjectView<T>> {
    rejectUnknownOptions('listerWatcher', options, LISTER_WATCHER_OPTIONS);
    return new ResourceListerWatcher<T>({
      ...options,
      rest: this.#rest,
      collection: new Collection(apiVersion, resource),
      decoder: new JsonObjectDecoder<T>(),
      maxFrameBytes: this.#maxFrameBytes,
    });
  }

  /** The version of the server. */
  version({ signal }: Pick<CallOptions, 'signal'> = {}): Promise<ServerVersion> {
    return this.#rest.json<ServerVersion>({ method: 'GET', path: '/version', signal });
  }

  /** Closes all connections. */
  close(): Promise<void> {
    this.#rest.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
