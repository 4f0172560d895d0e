import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ItemsTaker } from '../contract/lister-watcher.ts';
import type { PausableDeadline } from './pausable-deadline.ts';
import { rejectTable } from '../failure/table-object.ts';

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
