import type { ListItemsOptions } from '../request/resource-options.ts';
import type { ListPage, ListRequest } from '../../../cache/reflector/contract/lister-watcher.ts';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { numberOption } from '../../../kernel/options/options.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import { PageCycle } from '../../../meta/page-cycle.ts';

/** Reads one page. */
export type PageSource<V> = (request: ListRequest) => Promise<ListPage<V>>;

const EXPIRED_REMEDY =
  "iterate again from the start, with larger pages, or set onExpired: 'continue' to go on with the newest state";

/** The default number of items a page (client-go tools/pager defaultPageSize @ 32ce75a7). */
const DEFAULT_PAGE_SIZE = 500;

/**
 * Reads a list page by page. Each page is read when the caller requests it.
 *
 * Only the first request has a resource version; later requests have the continue token, which contains it.
 * @throws {ApiError} code EXPIRED when the server no longer has the state of the first page. {ListwatchError} code
 * MALFORMED_RESPONSE when a continue token repeats.
 */
export async function* listPages<V>(
  source: PageSource<V>,
  request: ListRequest,
  onExpired: 'fail' | 'continue' = 'fail',
): AsyncGenerator<ListPage<V>, undefined> {
  const limit = pageSizeOf(request);
  const { signal } = request;
  signal?.throwIfAborted();
  const cycle = new PageCycle();
  let continueToken: string | undefined;
  // No variable keeps a page: its reader drops the items one by one.
  const read = async (asked: ListRequest): Promise<ListPage<V>> => {
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
  source: PageSource<V>,
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
 * Iterates over a list, item by item, with one page and the pages read ahead in memory.
 *
 * If the state of the first page expires, option `onExpired` says what happens; the list is never read again from its start,
 * because its items would come twice. An abort takes effect between two pages.
 * @throws {ApiError} code EXPIRED, after the items of the pages before; the signal's reason when aborted.
 * @see client-go tools/pager/pager.go eachListChunkBuffered @ 32ce75a7
 */
export async function* listItems<V>(
  source: PageSource<V>,
  request: ListRequest,
  { prefetchPages, onExpired }: ListItemsOptions = {},
): AsyncGenerator<V, undefined> {
  const ahead = numberOption('list', 'prefetchPages', prefetchPages, 0, { min: 0, integer: true });
  const reading = deriveAbort(request.signal);
  const pages = listPages(source, { ...request, signal: reading.signal }, onExpired);
  // The generator reads one page after the other, also if several are requested at once.
  const asked: Promise<IteratorResult<ListPage<V>, undefined>>[] = [];
  const ask = (): void => {
    const page = pages.next();
    page.catch(() => {});
    asked.push(page);
  };
  try {
    ask();
    for (;;) {
      request.signal?.throwIfAborted();
      const items = lastFirst(await asked.shift());
      if (items === undefined) return;
      while (asked.length < ahead) ask();
      while (items.length > 0) yield items.pop() as V;
      if (asked.length === 0) ask();
    }
  } catch (error) {
    throw withItemsRemedy(error);
  } finally {
    reading.abort();
  }
}

/** The items of a page, to be popped; undefined after the last page. */
function lastFirst<V>(next: IteratorResult<ListPage<V>, undefined> | undefined): V[] | undefined {
  return next === undefined || next.done === true ? undefined : next.value.items.toReversed();
}

function pageSizeOf({ limit }: ListRequest): number {
  const size = numberOption('list', 'limit', limit, DEFAULT_PAGE_SIZE, { min: 0, integer: true });
  return size === 0 ? DEFAULT_PAGE_SIZE : size;
}

function hasReasonExpired(error: unknown): boolean {
  return isApiError(error) && error.code === 'EXPIRED';
}
