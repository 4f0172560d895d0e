import type { ListPage, ListRequest } from '../../cache/reflector/contract/lister-watcher.ts';
import { deriveAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption } from '../../kernel/options.ts';
import { isApiError } from '../../meta/failures.ts';
import { PageCycle } from '../../meta/page-cycle.ts';

/** Reads one page. */
export type PageSource<V> = (request: ListRequest) => Promise<ListPage<V>>;

/** Items a page unless told otherwise (client-go tools/pager defaultPageSize @ 32ce75a7). */
const DEFAULT_PAGE_SIZE = 500;

/**
 * Reads a list page by page, each when it is asked for.
 *
 * Only the first page names a resource version; the token of the following ones carries it.
 * @throws {ApiError} code EXPIRED when the state of the first page is older than the server's history by now. {ListwatchError}
 * code MALFORMED_RESPONSE when the pages go round in a circle.
 */
export async function* listPages<V>(
  source: PageSource<V>,
  request: ListRequest,
): AsyncGenerator<ListPage<V>, undefined> {
  const limit = pageSizeOf(request);
  const { signal } = request;
  signal?.throwIfAborted();
  const cycle = new PageCycle();
  let page = await source({ ...request, limit });
  yield page;
  while (page.continueToken !== undefined) {
    signal?.throwIfAborted();
    if (cycle.repeats(page.continueToken)) {
      throw new ListwatchError('MALFORMED_RESPONSE', 'the pages of the list go round in a circle');
    }
    page = await source({ limit, continueToken: page.continueToken, signal });
    yield page;
  }
}

/**
 * Reads a whole list in pages. When the server forgets the state of the first page on the way, the list is read once more,
 * whole, as it was asked for.
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
    // An expired first page asked for a state that is gone; reading it again would not help.
    if (first === undefined || !hasReasonExpired(error)) throw error;
    return await source({ ...request, limit: undefined, continueToken: undefined });
  }
  return { items, resourceVersion: first?.resourceVersion ?? '' };
}

export interface ListItemsOptions {
  /** Pages read while the one before them is in use; each takes memory. @defaultValue 0 */
  readonly prefetchPages?: number | undefined;
}

/**
 * Goes through a list item by item, with no more than one page, and those read ahead, in memory.
 *
 * There is no second try when the state of the first page expires: items of another state would follow those that were handed
 * out. An abort takes effect between two pages.
 * @throws {ApiError} code EXPIRED, after the items before; the signal's reason when aborted.
 * @see client-go tools/pager/pager.go eachListChunkBuffered @ 32ce75a7
 */
export async function* listItems<V>(
  source: PageSource<V>,
  request: ListRequest,
  { prefetchPages }: ListItemsOptions = {},
): AsyncGenerator<V, undefined> {
  const ahead = numberOption('list', 'prefetchPages', prefetchPages, 0, { min: 0, integer: true });
  const reading = deriveAbort(request.signal);
  const pages = listPages(source, { ...request, signal: reading.signal });
  // The generator reads one page after the other, however many are asked for.
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
      const next = await asked.shift();
      if (next === undefined || next.done === true) return;
      while (asked.length < ahead) ask();
      yield* next.value.items;
      if (asked.length === 0) ask();
    }
  } finally {
    reading.abort();
  }
}

function pageSizeOf({ limit }: ListRequest): number {
  const size = numberOption('list', 'limit', limit, DEFAULT_PAGE_SIZE, { min: 0, integer: true });
  return size === 0 ? DEFAULT_PAGE_SIZE : size;
}

function hasReasonExpired(error: unknown): boolean {
  return isApiError(error) && error.code === 'EXPIRED';
}
