import type {
  ItemsTaker,
  ListPage,
  ListRequest,
  ListerWatcher,
  SourceDecorator,
  SourceSupport,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import type { SharedCollections } from '../../cache/reflector/contract/shared-collections.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { ApiCall } from '../../meta/api-call.ts';
import type { CollectionReader, ResourceName } from '../../meta/collection-options.ts';
import { parseFieldSelector } from '../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { parseShardSelector } from '../../meta/selectors/shard-selector.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ResourceCollection } from './request/resource-collection.ts';
import { droppingAccept } from './decode/dropping-decoder.ts';
import { metadataDecoder } from './decode/metadata-decoder.ts';
import type { ObjectDecoder } from './decode/object-decoder.ts';
import { listQuery, watchQuery, type SelectorOptions } from './request/query.ts';
import type { RestClient } from './request/rest-client.ts';
import type { OutageGate } from './outage-gate.ts';
import { readList } from './read/read-list.ts';
import { ShardFilter } from './read/shard-filter.ts';
import { WatchBatches } from './read/watch-batches.ts';

/** Selects the objects of a resource that are listed and watched. */
export interface ListerWatcherOptions extends SelectorOptions {
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /**
   * Some shards of the collection: see `shardSelector`. @defaultValue all
   *
   * @experimental
   */
  readonly shardSelector?: string | undefined;
  /**
   * Requests only the metadata of each object. A server without support for this sends whole objects; their bodies are dropped
   * when they arrive. @defaultValue false
   */
  readonly metadataOnly?: boolean | undefined;
  /** See `CollectionOptions`. @defaultValue true */
  readonly managedFields?: boolean | undefined;
  /**
   * The longest time without data on a watch, milliseconds. After it the connection counts as dead and STREAM_IDLE is thrown.
   * @defaultValue 30 000 more than the `timeoutSeconds` of the watch, after which the server should have ended it; no limit
   * without `timeoutSeconds`
   */
  readonly watchIdleTimeoutMs?: number | undefined;
}

export const LISTER_WATCHER: OptionsSchema<ListerWatcherOptions> =
  optionsOf<ListerWatcherOptions>()('listerWatcher', {
    namespace: is.text(),
    labelSelector: is.text(),
    fieldSelector: is.text(),
    shardSelector: is.text(),
    metadataOnly: is.flag(),
    managedFields: is.flag(),
    watchIdleTimeoutMs: is.number({ min: 1 }),
  });

/** The time after `timeoutSeconds` within which a server should end a watch. */
const LATE_END_MS = 30_000;

export interface ResourceListerWatcherParts<T extends KubernetesObject>
  extends ListerWatcherOptions {
  readonly rest: RestClient;
  /** The gate of the client. Left out: requests do not wait for other readers. */
  readonly gate?: OutageGate | undefined;
  /** Of the client. Left out: informers share no watch of it. */
  readonly collections?: SharedCollections | undefined;
  /** Stands closer to the server than what intercepts the client. */
  readonly decorate?: SourceDecorator | undefined;
  readonly collection: ResourceCollection;
  readonly decoder: ObjectDecoder<T>;
  /** Whether the server may leave out managed fields that the reader drops. @defaultValue false */
  readonly mayDrop?: boolean | undefined;
  readonly maxFrameBytes?: number | undefined;
}

/** A collection of a resource over HTTP. */
export class ResourceListerWatcher<T extends KubernetesObject>
  implements ListerWatcher<ObjectView<T>>
{
  readonly description: string;
  readonly resource: ResourceName;
  readonly supports: SourceSupport<ObjectView<T>>;
  readonly #options: ResourceListerWatcherParts<T>;
  readonly #path: string;
  readonly #shards: ShardFilter | undefined;
  /** Without what `Client.intercept` puts in front of it. */
  readonly #direct: ListerWatcher<ObjectView<T>>;

  /** @throws {ListwatchError} code INVALID_OPTION, INVALID_SELECTOR. */
  constructor(options: ResourceListerWatcherParts<T>) {
    const { collection, namespace, labelSelector, fieldSelector } = options;
    const { shardSelector = '', gate, decorate } = options;
    // The server refuses a selector of a bad syntax too, but without the place in it.
    parseLabelSelector(labelSelector ?? '');
    parseFieldSelector(fieldSelector ?? '');
    this.#shards =
      shardSelector === '' ? undefined : new ShardFilter(parseShardSelector(shardSelector));
    this.description = collection.describe(options);
    const { apiVersion, resource } = collection;
    this.resource = { apiVersion, resource };
    this.#options = options;
    this.#path = collection.path({ namespace });
    this.supports = {
      gate,
      sharing: this.#sharing(),
      decorated: (closer) => new ResourceListerWatcher<T>({ ...options, decorate: closer }),
      metadata: () => {
        const decoder = metadataDecoder();
        return new ResourceListerWatcher({
          ...options,
          metadataOnly: true,
          decoder,
          mayDrop: true,
        });
      },
      withoutManagedFields: () => new ResourceListerWatcher<T>({ ...options, mayDrop: true }),
    };
    const direct: ListerWatcher<ObjectView<T>> = {
      description: this.description,
      resource: this.resource,
      supports: { gate },
      list: (request, onItems) => this.#list(request, onItems),
      watch: (request) => this.#watch(request),
    };
    this.#direct = decorate?.(direct) ?? direct;
    // A source that shares its collections has to read what its key says.
    Object.freeze(this);
  }

  #sharing(): SourceSupport<ObjectView<T>>['sharing'] {
    const { collections, collection, labelSelector, fieldSelector, shardSelector } = this.#options;
    const { metadataOnly = false, watchIdleTimeoutMs = 0 } = this.#options;
    const { managedFields = true, mayDrop = false } = this.#options;
    if (collections === undefined) return undefined;
    const selectors = [labelSelector, fieldSelector, shardSelector].map((one) => one ?? '');
    const form = [metadataOnly, watchIdleTimeoutMs, managedFields, mayDrop];
    const key = JSON.stringify([collection.apiVersion, this.#path, ...selectors, ...form]);
    return { collections, key };
  }

  /** The source that it reads. */
  get #source(): ListerWatcher<ObjectView<T>> {
    return this.#options.rest.reads.through(this.#direct, () => this.#reader());
  }

  #reader(): CollectionReader {
    const { collection, namespace, labelSelector, fieldSelector } = this.#options;
    const { shardSelector, metadataOnly, managedFields } = this.#options;
    const { apiVersion, resource } = collection;
    const by = this.#options.gate === undefined ? 'call' : 'source';
    const selectors = { labelSelector, fieldSelector, shardSelector };
    return { by, apiVersion, resource, namespace, ...selectors, metadataOnly, managedFields };
  }

  list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    return this.#source.list(request, onItems);
  }

  async #list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const { rest, decoder } = this.#options;
    const path = this.#path + listQuery(request, this.#options);
    const { signal } = request;
    const target = rest.target({ method: 'GET', path });
    const maxBytes = rest.maxResponseBytes;
    const accept = this.#accept('list');
    const call = this.#call('list');
    // The reflector tries again itself, and the gate counts its attempts.
    const asked = rest.body({ method: 'GET', path, call, accept, signal, resend: false });
    const body = await this.#noting(asked);
    const list = decoder.beginList();
    const shards = this.#shards;
    const read = { body, list, target, call, maxBytes, signal };
    if (shards === undefined) return await readList({ ...read, onItems });
    return shards.page(await readList({ ...read, onItems: onItems && shards.taker(onItems) }));
  }

  watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    return this.#source.watch(request);
  }

  async #watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { rest, decoder, watchIdleTimeoutMs, maxFrameBytes, gate } = this.#options;
    const path = this.#path + watchQuery(request, this.#options);
    const accept = this.#accept('watch');
    const abort = deriveAbort(request.signal);
    try {
      const call = this.#call('watch');
      const { signal } = abort;
      const compress = request.sendInitialEvents === true;
      const asked = rest.stream({ method: 'GET', path, call, accept, compress, signal });
      const { body } = await this.#noting(asked);
      const batches = new WatchBatches({
        body,
        decoder,
        knownValueOf: request.cache?.knownValueOf,
        target: rest.target({ method: 'GET', path }),
        call,
        abort,
        onEnd: () => gate?.doubt(),
        runtime: rest.runtime,
        idleTimeoutMs: watchIdleTimeoutMs ?? idleTimeoutOf(request),
        maxFrameBytes,
      });
      return this.#shards?.stream(batches) ?? batches;
    } catch (error) {
      abort.destroy();
      throw error;
    }
  }

  #accept(verb: 'list' | 'watch'): string | undefined {
    const { decoder, managedFields, mayDrop } = this.#options;
    const accept = decoder.accept?.[verb];
    return managedFields === false || mayDrop === true ? droppingAccept(accept) : accept;
  }

  /** An informer, which has a gate, needs both verbs. */
  #call(verb: 'list' | 'watch'): ApiCall {
    const { collection, namespace, gate } = this.#options;
    const call = collection.call(verb, { namespace });
    return gate === undefined ? call : { ...call, needs: ['list', 'watch'] };
  }

  /** Reports to the gate whether there was an answer. */
  async #noting<R>(exchange: Promise<R>): Promise<R> {
    const { gate } = this.#options;
    try {
      const answer = await exchange;
      gate?.answered();
      return answer;
    } catch (error) {
      gate?.failed(error);
      throw error;
    }
  }
}

function idleTimeoutOf({ timeoutSeconds }: WatchRequest): number {
  return timeoutSeconds === undefined || timeoutSeconds === 0
    ? Infinity
    : timeoutSeconds * 1000 + LATE_END_MS;
}
