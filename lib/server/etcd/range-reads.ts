import { LRUCache } from 'lru-cache';
import type { RangeRequest, RangeResponse } from '../mvcc/contract/key-value-store.ts';
import type { EtcdConnection, SmallerRequests } from './etcd-connection.ts';
import { RANGE } from './procedures.ts';

/** The page that a collection is read with first, keys: of the largest values that etcd takes, it is about 750 MB. */
const FIRST_KEYS = 500;
/** As in the pages of a watch cache (cacher/lister_watcher.go storageWatchListPageSize @ 24a394e). */
const MOST_KEYS = 10_000;
/** A larger answer makes the next page smaller; bytes. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** An answer is not slow because of its size if it is smaller, bytes. */
const SMALL_BYTES = 1024 * 1024;
/** The shares of the time limit of a member from which an answer is slow, and below which it is quick. */
const SLOW_SHARE = 1 / 3;
const QUICK_SHARE = 1 / 6;

interface AnsweredPage {
  /** How many keys were asked for. */
  readonly asked: number;
  readonly keys: number;
  /** Of the keys and the values. */
  readonly bytes: number;
  /** Keys of the collection after this page. */
  readonly keysAfter: number;
  readonly tookMs: number;
}

/**
 * How many keys the next page of a collection asks for. An answer that does not come in time, that is slow or that is large, halves
 * it; one that is quick, and small enough for twice as many, doubles it.
 *
 * Guarantee: it is from 1 to 10 000.
 */
export class PageSize {
  readonly #slowMs: number;
  readonly #quickMs: number;
  #keys = FIRST_KEYS;
  #failed = 0;
  #answered: AnsweredPage | undefined;

  /** `memberTimeoutMs`: how long one member may take for an answer, milliseconds. */
  constructor(memberTimeoutMs: number) {
    this.#slowMs = memberTimeoutMs * SLOW_SHARE;
    this.#quickMs = memberTimeoutMs * QUICK_SHARE;
  }

  get keys(): number {
    return this.#keys;
  }

  answered(page: AnsweredPage): void {
    const { asked, keys, bytes, tookMs } = page;
    this.#answered = page;
    const isSlow = tookMs > this.#slowMs && bytes > SMALL_BYTES;
    if (bytes > LARGE_BYTES || isSlow) this.#halve(Math.min(asked, keys));
    else if (keys >= this.#keys && bytes <= LARGE_BYTES / 2 && tookMs <= this.#quickMs) {
      this.#keys = Math.min(MOST_KEYS, this.#keys * 2);
    }
  }

  /** A page of so many keys was too much. Returns whether a smaller one can be asked for. */
  failed(asked: number): boolean {
    this.#failed = asked;
    this.#halve(asked);
    return asked > 1;
  }

  /** The items that were read, and the remedy for a page that failed. */
  explain(): string {
    const answered =
      this.#answered === undefined
        ? 'none was answered before'
        : `the one answered last had ${amountOf(this.#answered)}, with ${keysOf(this.#answered.keysAfter)} after it`;
    const next =
      this.#failed > 1
        ? `the next read asks for ${keysOf(this.#keys)}`
        : 'raise memberTimeoutMs and requestTimeoutMs';
    return `the last page was of ${keysOf(this.#failed)}, and ${answered}; ${next}, or find out why the member or the network is slow`;
  }

  #halve(asked: number): void {
    this.#keys = Math.max(1, Math.min(this.#keys, Math.floor(asked / 2)));
  }
}

function amountOf({ keys, bytes }: AnsweredPage): string {
  return `${keysOf(keys)} and ${bytes} bytes`;
}

function keysOf(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}

/** For so many collections it is remembered how large their pages are. A server has some hundred. */
const MOST_COLLECTIONS = 1000;

/**
 * Reads ranges of keys. A read that may end early gets a page that a member can answer in time.
 *
 * Guarantees: a page asks for 10 000 keys at most, and has one at least, if there is one left. A page that is not answered within
 * `memberTimeoutMs`, or whose answer is larger than `maxResponseBytes`, is asked for again with half as many keys, down to one, as
 * long as `requestTimeoutMs` allows. The next page of the collection begins with the size that was found.
 */
export class RangeReads {
  readonly #connection: EtcdConnection;
  /** By the end of the range, which all pages of a collection have in common. */
  readonly #sizes = new LRUCache<string, PageSize>({ max: MOST_COLLECTIONS });

  constructor(connection: EtcdConnection) {
    this.#connection = connection;
  }

  /** @throws {EtcdError} that says how large the last pages were, if it is a page that is too much for the members. */
  async range(request: RangeRequest): Promise<RangeResponse> {
    const { rangeEnd, mayEndEarly } = request;
    return mayEndEarly === true && rangeEnd !== undefined
      ? await this.#page(request, this.#sizeOf(rangeEnd))
      : await this.#send(request);
  }

  async #page(request: RangeRequest, size: PageSize): Promise<RangeResponse> {
    const { runtime } = this.#connection.options;
    let limit = limitOf(request, size);
    let begunMs = runtime.monotonicMs();
    const page = await this.#send(
      { ...request, limit },
      {
        next: () => {
          if (!size.failed(limit)) return undefined;
          limit = limitOf(request, size);
          begunMs = runtime.monotonicMs();
          return { ...request, limit };
        },
        explain: () => size.explain(),
      },
    );
    const { items, count } = page;
    size.answered({
      asked: limit,
      keys: items.length,
      bytes: bytesOf(page),
      keysAfter: count - items.length,
      tookMs: runtime.monotonicMs() - begunMs,
    });
    return page;
  }

  async #send(
    request: RangeRequest,
    smaller?: SmallerRequests<RangeRequest>,
  ): Promise<RangeResponse> {
    const what = `a read of ${JSON.stringify(request.key)}`;
    const call = { what, repeatable: true, smaller };
    return await this.#connection.call(RANGE, request, call);
  }

  #sizeOf(rangeEnd: string): PageSize {
    let size = this.#sizes.get(rangeEnd);
    if (size === undefined) {
      size = new PageSize(this.#connection.options.memberTimeoutMs);
      this.#sizes.set(rangeEnd, size);
    }
    return size;
  }
}

function limitOf({ limit = 0 }: RangeRequest, { keys }: PageSize): number {
  return limit > 0 ? Math.min(limit, keys) : keys;
}

/** Keys count with their characters. */
function bytesOf({ items }: RangeResponse): number {
  let bytes = 0;
  for (const { key, value } of items) bytes += key.length + value.length;
  return bytes;
}
