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
import { PausableDeadline } from '../../../kernel/time/pausable-deadline.ts';
import { rejectTable } from '../failure/table-object.ts';
import { PageCycle } from '../../../meta/page-cycle.ts';

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

export interface PageItemsOptions<V extends HasMetadata> {
  readonly onItems: ItemsTaker<V>;
  /** Aborts when the page is no longer needed. */
  readonly signal: AbortSignal;
  /** The deadline of the page; it pauses while the source has to wait. */
  readonly deadline: PausableDeadline;
  /** Names the collection in messages. */
  readonly name: string;
}

/**
 * Passes the items of a page from a source to their consumer.
 *
 * Guarantees: no item is passed after the page has ended or its signal has aborted, even if the source continues. If the source
 * does not wait for the returned promise, its rejection is not reported as unhandled.
 */
export class PageItems<V extends HasMetadata> {
  readonly #options: PageItemsOptions<V>;
  #begun = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: PageItemsOptions<V>) {
    this.#options = options;
  }

  /** Whether any item was passed. */
  get begun(): boolean {
    return this.#begun;
  }

  /** The error for which items were not taken, independent of the error that the source throws. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Accepts no more items. */
  end(): void {
    this.#ended = true;
  }

  /** The callback that the source gets. */
  readonly take: ItemsTaker<V> = (items) => {
    const { onItems, signal, deadline, name } = this.#options;
    try {
      signal.throwIfAborted();
      if (this.#ended)
        throw new ListwatchError('CLOSED', `the list of ${name} brought items after its page`);
      if (items.length === 0) return undefined;
      if (!this.#begun) rejectTable(items[0], name);
      this.#begun = true;
      const room = onItems(items);
      if (room === undefined) return undefined;
      const waiting = this.#waitFor(room);
      deadline.pauseWhile(waiting);
      return waiting;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  };

  async #waitFor(room: Promise<void>): Promise<void> {
    try {
      await room;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}

/** Checks the pages of the present list of a reflector: a continue token must not repeat. */
export class PageSequence {
  #cycle = new PageCycle();

  /** @throws {ListwatchError} code MALFORMED_RESPONSE when the pages go round in a circle. */
  check(
    asked: { readonly continueToken?: string | undefined },
    { continueToken = '' }: { readonly continueToken?: string | undefined },
    name: string,
  ): void {
    if (asked.continueToken === undefined) this.#cycle = new PageCycle();
    if (continueToken === '' || !this.#cycle.repeats(continueToken)) return;
    const text = `the pages of the list of ${name} go round in a circle: its source has to end with a page without continueToken`;
    throw new ListwatchError('MALFORMED_RESPONSE', text);
  }
}
