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
 * Asks for one page; a source that does not answer in time is told to stop and left behind. Items that come while the page is
 * read go to `onItems`, if it is given; what that throws ends the page.
 * @throws {ListwatchError} code TIMEOUT, TABLE_OBJECT, or MALFORMED_RESPONSE for a page that names itself as the next one.
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
    if (items?.begun !== true) rejectTable(page.items[0], name);
    if (page.continueToken !== undefined && page.continueToken === request.continueToken) {
      throw new ListwatchError(
        'MALFORMED_RESPONSE',
        `the list of ${name} goes round in a circle: a page names itself as the next one`,
      );
    }
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
