import { abortable, deriveAbort } from '../../../kernel/abort.ts';
import { ListwatchError } from '../../../kernel/errors.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
} from '../contract/lister-watcher.ts';
import { PageItems } from './page-items.ts';
import { PausableDeadline } from './pausable-deadline.ts';
import { rejectTable } from '../failure/table-object.ts';

export interface ListPageOptions<V extends HasMetadata> {
  readonly listerWatcher: ListerWatcher<V>;
  readonly runtime: Runtime;
  /** Longest wait for the page, milliseconds; while the source waits for `onItems` no time passes. */
  readonly listTimeoutMs: number;
  readonly name: string;
}

/**
 * Asks for one page; a source that does not answer in time is aborted and abandoned. Items that come while the page is
 * read go to `onItems`, if it is given; what that throws ends the page.
 * @throws {ListwatchError} code TIMEOUT, TABLE_OBJECT, or MALFORMED_RESPONSE for what is no page.
 */
export async function listPage<V extends HasMetadata>(
  { listerWatcher, runtime, listTimeoutMs, name }: ListPageOptions<V>,
  request: ListRequest,
  signal: AbortSignal,
  onItems?: ItemsTaker<V>,
): Promise<ListPage<V>> {
  const asking = deriveAbort(signal);
  const deadline = new PausableDeadline(runtime, listTimeoutMs, () => {
    const text = `gave up after ${listTimeoutMs} ms waiting for a page of the list of ${name}`;
    asking.abort(new ListwatchError('TIMEOUT', text));
  });
  const items = onItems && new PageItems<V>({ onItems, signal: asking.signal, deadline, name });
  try {
    const answer = (async (): Promise<ListPage<V>> =>
      await listerWatcher.list({ ...request, signal: asking.signal }, items?.take))();
    const page = await abortable(answer, asking.signal);
    if (items?.failure !== undefined) throw items.failure.error;
    checkPage(page, name);
    if (items?.begun !== true) rejectTable(page.items[0], name);
    return page;
  } catch (error) {
    const cause = items?.failure === undefined ? error : items.failure.error;
    asking.abort(cause);
    throw cause;
  } finally {
    items?.end();
    deadline.cancel();
    asking.dispose();
  }
}

/** A source may be a user's own. */
function checkPage(page: Partial<ListPage<HasMetadata>> | undefined, name: string): void {
  if (Array.isArray(page?.items) && typeof page.resourceVersion === 'string') return;
  const what = Array.isArray(page?.items) ? 'without a resourceVersion' : 'without items';
  throw new ListwatchError(
    'MALFORMED_RESPONSE',
    `the source of ${name} gave a page ${what}: its list() has to resolve to { items, resourceVersion }, the version a string, empty if there is none`,
  );
}
