import type {
  ItemsTaker,
  ListPage,
  ListRequest,
  RestoredList,
  WatchAhead,
  ListerWatcher,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { ApiCall } from '../../meta/api-call.ts';
import type { CollectionReader } from '../../meta/collection-options.ts';
import { parseFieldSelector } from '../../meta/selectors/field-selector.ts';
import { takesKnownValues, type KnownValueOf } from '../../meta/json/known-values.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { parseShardSelector } from '../../meta/selectors/shard-selector.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Collection } from './request/collection.ts';
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
  /** Some shards of the collection: see `shardSelector`. @defaultValue all */
  readonly shardSelector?: string | undefined;
  /**
   * Requests only the metadata of each object. A server without support for this sends whole objects; their bodies are dropped
   * when they arrive. @defaultValue false
   */
  readonly metadataOnly?: boolean | undefined;
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
    watchIdleTimeoutMs: is.number({ min: 1 }),
  });

/** The time after `timeoutSeconds` within which a server should end a watch. */
const LATE_END_MS = 30_000;

export interface ResourceListerWatcherParts<T extends KubernetesObject>
  extends ListerWatcherOptions {
  readonly rest: RestClient;
  /** The gate of the client. Left out: requests do not wait for other readers. */
  readonly gate?: OutageGate | undefined;
  readonly collection: Collection;
  readonly decoder: ObjectDecoder<T>;
  readonly maxFrameBytes?: number | undefined;
}

/** A collection of a resource over HTTP. */
export class ResourceListerWatcher<T extends KubernetesObject>
  implements ListerWatcher<ObjectView<T>>
{
  readonly description: string;
  readonly gate: OutageGate | undefined;
  readonly #options: ResourceListerWatcherParts<T>;
  readonly #path: string;
  readonly #shards: ShardFilter | undefined;
  /** Without what `Client.intercept` puts in front of it. */
  readonly #direct: ListerWatcher<ObjectView<T>>;

  /** @throws {ListwatchError} code INVALID_OPTION, INVALID_SELECTOR. */
  constructor(options: ResourceListerWatcherParts<T>) {
    const { collection, namespace, labelSelector, fieldSelector } = options;
    const { shardSelector = '' } = options;
    // The server refuses a selector of a bad syntax too, but without the place in it.
    parseLabelSelector(labelSelector ?? '');
    parseFieldSelector(fieldSelector ?? '');
    this.#shards =
      shardSelector === '' ? undefined : new ShardFilter(parseShardSelector(shardSelector));
    this.description = collection.describe(options);
    this.gate = options.gate;
    this.#options = options;
    this.#path = collection.path({ namespace });
    this.#direct = {
      description: this.description,
      gate: this.gate,
      list: (request, onItems) => this.#list(request, onItems),
      watch: (request) => this.#watch(request),
    };
    takesKnownValues<ListerWatcher<ObjectView<T>>>(this, (knownValueOf) => ({
      description: this.description,
      gate: this.gate,
      list: (request, onItems) => this.list(request, onItems),
      restoring: () => this.restoring(),
      watchAhead: (request) => this.watchAhead(request),
      // A caller may have replaced the method `watch`.
      watch: (request) =>
        Object.hasOwn(this, 'watch') || this.#source !== this.#direct
          ? this.watch(request)
          : this.#watch(request, knownValueOf),
    }));
  }

  /** Undefined for one whose methods were replaced: it reads in a way of its own. */
  get sharing(): { readonly scope: object; readonly key: string } | undefined {
    if (Object.hasOwn(this, 'list') || Object.hasOwn(this, 'watch')) return undefined;
    const { rest, collection, labelSelector, fieldSelector, shardSelector } = this.#options;
    const { metadataOnly = false, watchIdleTimeoutMs = 0 } = this.#options;
    const selectors = [labelSelector, fieldSelector, shardSelector].map((one) => one ?? '');
    const key = [collection.apiVersion, this.#path, ...selectors, metadataOnly, watchIdleTimeoutMs];
    return { scope: rest, key: JSON.stringify(key) };
  }

  inNamespace(namespace: string): ResourceListerWatcher<T> {
    return new ResourceListerWatcher<T>({ ...this.#options, namespace });
  }

  /** What it reads from. */
  get #source(): ListerWatcher<ObjectView<T>> {
    return this.#options.rest.reads.through(this.#direct, () => this.#reader(), this);
  }

  #reader(): CollectionReader {
    const { collection, namespace, labelSelector, fieldSelector } = this.#options;
    const { shardSelector, metadataOnly } = this.#options;
    const { apiVersion, resource } = collection;
    const by = this.gate === undefined ? 'call' : 'source';
    const selectors = { labelSelector, fieldSelector, shardSelector };
    return { by, apiVersion, resource, namespace, ...selectors, metadataOnly };
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
    const accept = decoder.accept?.list;
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

  watchAhead(request: WatchRequest): WatchAhead<ObjectView<T>> | undefined {
    return Object.hasOwn(this, 'watch') ? undefined : this.#source.watchAhead?.(request);
  }

  restoring(): RestoredList<ObjectView<T>> | undefined {
    return this.#source.restoring?.();
  }

  async #watch(
    request: WatchRequest,
    knownValueOf?: KnownValueOf,
  ): Promise<WatchStream<ObjectView<T>>> {
    const { rest, decoder, watchIdleTimeoutMs, maxFrameBytes } = this.#options;
    const path = this.#path + watchQuery(request, this.#options);
    const accept = decoder.accept?.watch;
    const abort = deriveAbort(request.signal);
    try {
      const call = this.#call('watch');
      const asked = rest.stream({ method: 'GET', path, call, accept, signal: abort.signal });
      const { body } = await this.#noting(asked);
      const batches = new WatchBatches({
        body,
        decoder,
        knownValueOf,
        target: rest.target({ method: 'GET', path }),
        call,
        abort,
        onEnd: () => this.gate?.doubt(),
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

  /** An informer, which has a gate, needs both verbs. */
  #call(verb: 'list' | 'watch'): ApiCall {
    const { collection, namespace } = this.#options;
    const call = collection.call(verb, { namespace });
    return this.gate === undefined ? call : { ...call, needs: ['list', 'watch'] };
  }

  /** Reports to the gate whether there was an answer. */
  async #noting<R>(exchange: Promise<R>): Promise<R> {
    try {
      const answer = await exchange;
      this.gate?.answered();
      return answer;
    } catch (error) {
      this.gate?.failed(error);
      throw error;
    }
  }
}

function idleTimeoutOf({ timeoutSeconds }: WatchRequest): number {
  return timeoutSeconds === undefined || timeoutSeconds === 0
    ? Infinity
    : timeoutSeconds * 1000 + LATE_END_MS;
}
