import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import { areOrdered, isNewer, isOlder } from '../../../meta/versions/version-order.ts';

/**
 * Drops old events of one stream: a proxy that replays, a repeated frame or a replica that lags behind must not set the sink
 * back to an older state.
 *
 * Guarantees:
 * - An event is dropped when its resource version is older than the newest one seen, or when it is the same and its object
 *   has had that version, or a bookmark has.
 * - Events of different objects with one version pass: objects that expire together are deleted in one revision.
 * - Events without a version, or with one that is no decimal number, pass.
 * - A batch without a stale event is returned as it is; one comparison an event, no allocation.
 */
export class StreamOrder<V extends HasMetadata> {
  /** Events dropped so far. */
  dropped = 0;
  /** The version of a bookmark that is older than an earlier event: the server was restored to an older state. */
  wentBackTo: string | undefined;
  /** A bookmark came that has no version: its source is wrong. */
  malformed = false;
  #newest: string;
  /** The stream starts with the present state in no order, until the first event that is not ADDED. */
  #unordered: boolean;
  /** The object of the event with the newest version; undefined when all events of that version have arrived. */
  #latest: V | undefined;
  /** Objects of that version, once there is more than one. */
  #sharing: Set<string> | undefined;

  constructor(resourceVersion: string, unordered: boolean) {
    this.#newest = resourceVersion;
    this.#unordered = unordered;
  }

  /** The newest version of the stream; empty as long as it is unordered and has none. */
  get newest(): string {
    return this.#unordered ? '' : this.#newest;
  }

  /** The events to pass to the sink: up to a bookmark with an older version, if there is one. */
  take(batch: readonly WatchEvent<V>[]): readonly WatchEvent<V>[] {
    for (let index = 0; index < batch.length; index += 1) {
      if (!this.#passes(batch[index] as WatchEvent<V>)) return this.#takeRest(batch, index);
    }
    return batch;
  }

  /** The slow path: the event at `index` does not pass. */
  #takeRest(batch: readonly WatchEvent<V>[], index: number): WatchEvent<V>[] {
    const kept = batch.slice(0, index);
    if (this.#ended) return kept;
    this.dropped += 1;
    for (const event of batch.slice(index + 1)) {
      if (this.#passes(event)) kept.push(event);
      else if (!this.#ended) this.dropped += 1;
      else break;
    }
    return kept;
  }

  get #ended(): boolean {
    return this.malformed || this.wentBackTo !== undefined;
  }

  #passes(event: WatchEvent<V>): boolean {
    if (event.type === 'BOOKMARK') return this.#passesBookmark(event.resourceVersion);
    if (this.#unordered) {
      if (event.type === 'ADDED') return true;
      this.#unordered = false;
    }
    const version = identityOf(event.object).resourceVersion;
    if (version === undefined || version === '') return true;
    if (isNewer(version, this.#newest)) {
      this.#advance(version, event.object);
      return true;
    }
    return this.#passesUnlessStale(version, event.object);
  }

  #passesUnlessStale(version: string, object: V): boolean {
    if (!areOrdered(version, this.#newest)) {
      this.#advance(version, object);
      return true;
    }
    if (version !== this.#newest || this.#latest === undefined) return false;
    this.#sharing ??= new Set([whose(this.#latest)]);
    const before = this.#sharing.size;
    return this.#sharing.add(whose(object)).size > before;
  }

  /** A version before the first change of an unordered stream does not determine the order. */
  #passesBookmark(version: string): boolean {
    if (version === '') return true;
    if (typeof version !== 'string') {
      this.malformed = true;
      return false;
    }
    this.#unordered = false;
    if (isOlder(version, this.#newest)) {
      this.wentBackTo = version;
      return false;
    }
    this.#advance(version, undefined);
    return true;
  }

  #advance(version: string, object: V | undefined): void {
    this.#newest = version;
    this.#latest = object;
    this.#sharing = undefined;
  }
}

function whose(object: HasMetadata): string {
  const { namespace, name } = identityOf(object);
  return `${namespace ?? ''}/${name ?? ''}`;
}
