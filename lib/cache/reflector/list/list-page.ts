import { abortable, deriveAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
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
  /** The longest wait for the page, milliseconds, without the time in which the source waits for `onItems`. */
  readonly listTimeoutMs: number;
  readonly name: string;
}

/**
 * Requests one page. If the source does not answer in time, its signal aborts and its answer is ignored. Items that arrive while
 * the page is read go to `onItems`, if given; an error of `onItems` ends the page.
 * @throws {ListwatchError} code TIMEOUT, TABLE_OBJECT, or MALFORMED_RESPONSE for a result that is not a page.
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
    asking.destroy();
  }
}

/** The error of a source that a user has written. */
function checkPage(page: Partial<ListPage<HasMetadata>> | undefined, name: string): void {
  if (Array.isArray(page?.items) && typeof page.resourceVersion === 'string') return;
  const what = Array.isArray(page?.items) ? 'without a resourceVersion' : 'without items';
  throw new ListwatchError(
    'MALFORMED_RESPONSE',
    `the source of ${name} gave a page ${what}: its list() has to resolve to { items, resourceVersion }, the version a string, empty if there is none`,
  );
}
