import { ListwatchError } from '../failure/errors.ts';
import { is, optionsOf } from '../options/options-schema.ts';

export interface BatchChannelOptions {
  /** The name of the channel in error messages. */
  readonly name: string;
  /** Items held at most; a push beyond it is refused. */
  readonly capacity: number;
  /** Called once when the reader leaves its loop, or the channel is closed or failed. */
  readonly onEnd?: (() => void) | undefined;
}

const OPTIONS = optionsOf<BatchChannelOptions>()('BatchChannel', {
  name: is.text().required,
  capacity: is.number({ min: 1 }).required,
  onEnd: is.callback(),
});

type End = { readonly error: unknown } | 'closed';

/**
 * A bounded queue between one synchronous writer and one asynchronous reader.
 *
 * The reader gets all items that arrived since its last read as one array, so a burst costs one task hop, not one per message.
 *
 * Guarantees:
 * - Items come out in the order they went in, none twice.
 * - After `end`, the reader still gets the queued items. After `fail` it does too, and then the error is thrown in its loop.
 * - Leaving the loop (`break`, `return`, a throw) closes the channel.
 *
 * Not guaranteed: more than one reader.
 */
export class BatchChannel<T> implements AsyncIterable<readonly T[]> {
  readonly #options: BatchChannelOptions;
  #items: T[] = [];
  #end: End | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: BatchChannelOptions) {
    this.#options = OPTIONS.read(options);
  }

  /** Items waiting. */
  get size(): number {
    return this.#items.length;
  }

  get closed(): boolean {
    return this.#end !== undefined;
  }

  /** Queues one item. Returns false, and does nothing, when the channel is full or closed. */
  push(item: T): boolean {
    if (this.#end !== undefined || this.#items.length >= this.#options.capacity) return false;
    this.#items.push(item);
    this.#signal();
    return true;
  }

  /** Ends the stream after the queued items. */
  end(): void {
    this.#finish('closed');
  }

  /** Ends the stream after the queued items, with an error. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  /** Ends the stream now and drops the queued items. */
  destroy(error?: unknown): void {
    this.#items = [];
    this.#finish(error === undefined ? 'closed' : { error });
  }

  /** The error for a `push` that returned false because the channel is full. */
  fullError(): ListwatchError {
    const { name, capacity } = this.#options;
    return new ListwatchError('BUFFER_FULL', `${name}: the buffer of ${capacity} items is full`);
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly T[], undefined> {
    return {
      next: async (): Promise<IteratorResult<readonly T[], undefined>> => {
        while (this.#items.length === 0) {
          const end = this.#end;
          if (end === 'closed') return { done: true, value: undefined };
          if (end !== undefined) throw end.error;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        const value = this.#items;
        this.#items = [];
        return { done: false, value };
      },
      return: (): Promise<IteratorResult<readonly T[], undefined>> => {
        this.destroy();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #finish(end: End): void {
    this.#end ??= end;
    this.#signal();
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd?.();
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
