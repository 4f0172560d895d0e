import type {
  ItemsTaker,
  ListPage,
  ListRequest,
  ListerWatcher,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { deriveAbort } from '../../kernel/abort.ts';
import { numberOption } from '../../kernel/options.ts';
import { takesKnownValues, type KnownValueOf } from '../../meta/json/known-values.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Collection } from './collection.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import { listQuery, watchQuery, type SelectorOptions } from './query.ts';
import type { RestClient } from './rest-client.ts';
import type { OutageGate } from './outage-gate.ts';
import { readList } from './read-list.ts';
import { WatchBatches } from './watch-batches.ts';

/** Which objects of a resource are listed and watched. */
export interface ListerWatcherOptions extends SelectorOptions {
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /**
   * Asks for nothing but the metadata of each object. A server that does not know how sends whole objects; their bodies are
   * dropped as they come in. @defaultValue false
   */
  readonly metadataOnly?: boolean | undefined;
  /**
   * How long a watch may carry nothing before its connection is taken for dead and STREAM_IDLE is thrown, in milliseconds.
   * @defaultValue 30 000 more than the watch's own `timeoutSeconds`, after which the server should have ended it; without
   * such a time no limit
   */
  readonly watchIdleTimeoutMs?: number | undefined;
}

export const LISTER_WATCHER_OPTIONS: readonly (keyof ListerWatcherOptions)[] = [
  'namespace',
  'labelSelector',
  'fieldSelector',
  'metadataOnly',
  'watchIdleTimeoutMs',
];

/** How late a server may end a watch whose time is up. */
const LATE_END_MS = 30_000;

export interface ResourceListerWatcherParts<T extends KubernetesObject>
  extends ListerWatcherOptions {
  readonly rest: RestClient;
  /** Of the client. Left out: requests wait for no other reader. */
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

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ResourceListerWatcherParts<T>) {
    const { collection, namespace, watchIdleTimeoutMs } = options;
    const rule = { min: 1 };
    numberOption('listerWatcher', 'watchIdleTimeoutMs', watchIdleTimeoutMs, Infinity, rule);
    this.description = collection.describe(options);
    this.gate = options.gate;
    this.#options = options;
    this.#path = collection.path({ namespace });
    takesKnownValues<ListerWatcher<ObjectView<T>>>(this, (knownValueOf) => ({
      description: this.description,
      gate: this.gate,
      list: (request, onItems) => this.list(request, onItems),
      // Another `watch` may have been put in its place.
      watch: (request) =>
        Object.hasOwn(this, 'watch') ? this.watch(request) : this.#watch(request, knownValueOf),
    }));
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const { rest, decoder } = this.#options;
    const path = this.#path + listQuery(request, this.#options);
    const { signal } = request;
    const target = rest.target({ method: 'GET', path });
    const maxBytes = rest.maxResponseBytes;
    const accept = decoder.accept?.list;
    const body = await this.#noting(rest.body({ method: 'GET', path, accept, signal }));
    return await readList({ body, list: decoder.beginList(), target, maxBytes, onItems, signal });
  }

  watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    return this.#watch(request);
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
      const asked = rest.stream({ method: 'GET', path, accept, signal: abort.signal });
      const { body } = await this.#noting(asked);
      return new WatchBatches({
        body,
        decoder,
        knownValueOf,
        target: rest.target({ method: 'GET', path }),
        abort,
        onEnd: () => this.gate?.doubt(),
        runtime: rest.runtime,
        idleTimeoutMs: watchIdleTimeoutMs ?? idleTimeoutOf(request),
        maxFrameBytes,
      });
    } catch (error) {
      abort.dispose();
      throw error;
    }
  }

  /** Tells the gate whether there was an answer. */
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
