import { LRUCache } from 'lru-cache';
import type { RangeRequest, RangeResponse } from '../mvcc/contract/key-value-store.ts';
import type { EtcdConnection, SmallerRequests } from './etcd-connection.ts';
import { PageSize } from './page-size.ts';
import { RANGE } from './procedures.ts';

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
