import type { ListItemsOptions } from '../request/resource-options.ts';
import type { ListPage, ListRequest } from '../../../cache/reflector/contract/lister-watcher.ts';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is } from '../../../kernel/options/options-schema.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import { PageCycle } from '../../../meta/page-cycle.ts';

/** Reads one page. */
export type PageSource<P> = (request: ListRequest) => Promise<P>;

/** A page that is gone through once. */
export interface ItemPage<V> {
  readonly items: Iterable<V>;
  readonly continueToken?: string | undefined;
  /** Its size in memory. @defaultValue 0 */
  readonly bytes?: number | undefined;
  /** Called after its last item was used; the memory of the page may serve another one. */
  readonly release?: (() => void) | undefined;
}

export type ItemPageSource<V> = PageSource<ItemPage<V>>;

const EXPIRED_REMEDY =
  "iterate again from the start, with larger pages, or set onExpired: 'continue' to go on with the newest state";

/** The default number of items a page (client-go tools/pager defaultPageSize @ 32ce75a7). */
const DEFAULT_PAGE_SIZE = 500;

const COUNT = is.integer({ min: 0 });

/** No page is read ahead while the pages that were read ahead have this many bytes. */
const MOST_BYTES_AHEAD = 8 * 1024 * 1024;

/**
 * Reads a list page by page. Each page is read when the caller requests it.
 *
 * Only the first request has a resource version; later requests have the continue token, which contains it.
 * @throws {ApiError} code EXPIRED when the server no longer has the state of the first page. {ListwatchError} code
 * MALFORMED_RESPONSE when a continue token repeats.
 */
export async function* listPages<P extends Pick<ListPage<unknown>, 'continueToken'>>(
  source: PageSource<P>,
  request: ListRequest,
  onExpired: 'fail' | 'continue' = 'fail',
): AsyncGenerator<P, undefined> {
  const limit = pageSizeOf(request);
  const { signal } = request;
  signal?.throwIfAborted();
  const cycle = new PageCycle();
  let continueToken: string | undefined;
  const read = async (asked: ListRequest): Promise<P> => {
    const page = await source(asked);
    ({ continueToken } = page);
    return page;
  };
  yield await read({ ...request, limit });
  while (continueToken !== undefined) {
    signal?.throwIfAborted();
    if (cycle.repeats(continueToken)) {
      throw new ListwatchError('MALFORMED_RESPONSE', 'the pages of the list go round in a circle');
    }
    try {
      yield await read({ limit, continueToken, signal });
    } catch (error) {
      const newest = onExpired === 'continue' ? newestToken(error) : undefined;
      if (newest === undefined) throw error;
      continueToken = newest;
    }
  }
}

/** The token with which an expired list goes on at the newest state. It is part of the answer that the list has expired. */
function newestToken(error: unknown): string | undefined {
  if (!isApiError(error) || error.code !== 'EXPIRED') return undefined;
  const token: unknown = error.status.metadata?.continue;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** The error of an iteration, with what to do about a list that has expired. */
function withItemsRemedy(error: unknown): unknown {
  if (newestToken(error) === undefined || !isApiError(error)) return error;
  const { status, request, problem } = error;
  return new ApiError(status, error, { request, problem, remedy: EXPIRED_REMEDY });
}

/**
 * Reads a whole list in pages. If the server compacts the state of the first page before the last page was read, the list is
 * read again in one page, with the original options.
 * @see client-go tools/pager/pager.go ListWithAlloc @ 32ce75a7
 */
export async function listAllPages<V>(
  source: PageSource<ListPage<V>>,
  request: ListRequest,
): Promise<ListPage<V>> {
  let first: ListPage<V> | undefined;
  const items: V[] = [];
  try {
    for await (const page of listPages(source, request)) {
      if (first === undefined && page.continueToken === undefined) return page;
      first ??= page;
      for (const item of page.items) items.push(item);
    }
  } catch (error) {
    // If the first page expired, the requested state is gone; reading it again would fail again.
    if (first === undefined || !hasReasonExpired(error)) throw error;
    return await source({ ...request, limit: undefined, continueToken: undefined });
  }
  return { items, resourceVersion: first?.resourceVersion ?? '' };
}

/**
 * Iterates over a list, item by item, with one page and the pages read ahead in memory. No page is read ahead while those read
 * ahead have 8 MiB.
 *
 * If the state of the first page expires, option `onExpired` says what happens; the list is never read again from its start,
 * because its items would come twice. An abort takes effect between two pages.
 * @throws {ApiError} code EXPIRED, after the items of the pages before; the signal's reason when aborted.
 * @see client-go tools/pager/pager.go eachListChunkBuffered @ 32ce75a7
 */
export async function* listItems<V>(
  source: ItemPageSource<V>,
  request: ListRequest,
  { prefetchPages, onExpired }: ListItemsOptions = {},
): AsyncGenerator<V, undefined> {
  const ahead = COUNT.default(0).read('list', 'prefetchPages', prefetchPages);
  const reading = deriveAbort(request.signal);
  const pages = listPages(source, { ...request, signal: reading.signal }, onExpired);
  const next = new PagesAhead(pages, ahead);
  try {
    for (;;) {
      request.signal?.throwIfAborted();
      const page = await next.take();
      if (page === undefined) return;
      yield* page.items;
      page.release?.();
    }
  } catch (error) {
    throw withItemsRemedy(error);
  } finally {
    reading.abort();
  }
}

/** Reads the pages of a list one after the other, some of them ahead. */
class PagesAhead<V> {
  readonly #pages: AsyncGenerator<ItemPage<V>, undefined>;
  readonly #most: number;
  /** The pages that were asked for and not taken; only the last one may still be under way. */
  readonly #asked: Promise<ItemPage<V> | undefined>[] = [];
  #bytes = 0;
  #reading = false;
  #ended = false;

  constructor(pages: AsyncGenerator<ItemPage<V>, undefined>, most: number) {
    this.#pages = pages;
    this.#most = most;
  }

  /** The next page; undefined after the last one. */
  async take(): Promise<ItemPage<V> | undefined> {
    if (this.#asked.length === 0) this.#ask();
    const page = await this.#asked.shift();
    this.#bytes -= page?.bytes ?? 0;
    this.#fill();
    return page;
  }

  #fill(): void {
    if (this.#reading || this.#ended) return;
    if (this.#asked.length < this.#most && this.#bytes < MOST_BYTES_AHEAD) this.#ask();
  }

  #ask(): void {
    this.#reading = true;
    const page = this.#read();
    page.catch(() => {});
    this.#asked.push(page);
  }

  async #read(): Promise<ItemPage<V> | undefined> {
    try {
      const { done = false, value } = await this.#pages.next();
      this.#ended = done;
      this.#bytes += value?.bytes ?? 0;
      return value;
    } catch (error) {
      this.#ended = true;
      throw error;
    } finally {
      this.#reading = false;
      this.#fill();
    }
  }
}

function pageSizeOf({ limit }: ListRequest): number {
  return COUNT.default(0).read('list', 'limit', limit) || DEFAULT_PAGE_SIZE;
}

function hasReasonExpired(error: unknown): boolean {
  return isApiError(error) && error.code === 'EXPIRED';
}
