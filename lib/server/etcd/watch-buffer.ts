import type { KeyValueWatchMessage } from '../mvcc/key-value-store.ts';

export interface WatchBufferOptions {
  /** Messages from which on `onFull` is called. */
  readonly capacity: number;
  /** Stop sending: the reader is busy. */
  readonly onFull: () => void;
  /** The reader has taken everything. */
  readonly onRoom: () => void;
  /** The reader has left its loop. */
  readonly onLeave: () => void;
}

/**
 * The events that a watch has received and its reader has not taken yet.
 *
 * Responses are pushed whole, so that the events of one revision stay together; it exceeds its capacity by one response, and
 * by what was under way when the stream was paused.
 */
export class WatchBuffer implements AsyncIterable<readonly KeyValueWatchMessage[]> {
  readonly #options: WatchBufferOptions;
  #messages: KeyValueWatchMessage[] = [];
  #end: { readonly error?: unknown } | undefined;
  #full = false;
  #wake: (() => void) | undefined;

  constructor(options: WatchBufferOptions) {
    this.#options = options;
  }

  /** Whether the reader has been asked to be waited for. */
  get isFull(): boolean {
    return this.#full;
  }

  push(messages: readonly KeyValueWatchMessage[]): void {
    if (this.#end !== undefined) return;
    if (this.#messages.length === 0) this.#messages = [...messages];
    else for (const message of messages) this.#messages.push(message);
    if (!this.#full && this.#messages.length >= this.#options.capacity) {
      this.#full = true;
      this.#options.onFull();
    }
    this.#signal();
  }

  /** Ends the stream now; what was not taken is dropped. */
  end(): void {
    this.#end ??= {};
    this.#messages = [];
    this.#signal();
  }

  /** Ends the stream with an error, after what it holds. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#signal();
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly KeyValueWatchMessage[], undefined> {
    return {
      next: async (): Promise<IteratorResult<readonly KeyValueWatchMessage[], undefined>> => {
        while (this.#messages.length === 0) {
          if (this.#end !== undefined) return this.#finish(this.#end);
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        return { done: false, value: this.#take() };
      },
      return: async (): Promise<IteratorResult<readonly KeyValueWatchMessage[], undefined>> => {
        this.#options.onLeave();
        return { done: true, value: undefined };
      },
    };
  }

  #finish(end: { readonly error?: unknown }): { done: true; value: undefined } {
    this.#end = {};
    if ('error' in end) throw end.error;
    return { done: true, value: undefined };
  }

  #take(): readonly KeyValueWatchMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    if (this.#full) {
      this.#full = false;
      this.#options.onRoom();
    }
    return messages;
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
