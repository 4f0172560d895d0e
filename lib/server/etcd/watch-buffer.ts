import type { KeyValueWatchMessage } from '../mvcc/contract/key-value-store.ts';

export interface WatchBufferOptions {
  /** High-water mark: with this many messages, `onFull` is called. */
  readonly capacity: number;
  /** Called when the buffer is full, to pause the stream. */
  readonly onFull: () => void;
  /** Called when the reader has taken everything. */
  readonly onRoom: () => void;
  /** Called when the reader has left its loop. */
  readonly onLeave: () => void;
}

/**
 * The events of a watch that its reader has not taken yet.
 *
 * Responses are added whole, so that the events of one revision stay together. The buffer can exceed its capacity by one
 * response, by the responses that arrive until the stream is paused, and by one progress message.
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

  /** Whether `onFull` was called and the reader has not emptied the buffer since. */
  get isFull(): boolean {
    return this.#full;
  }

  /** Whether nothing can be added any more. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  push(messages: readonly KeyValueWatchMessage[]): void {
    if (this.#end !== undefined) return;
    this.#dropProgressBefore(messages[0]);
    if (this.#messages.length === 0) this.#messages = [...messages];
    else for (const message of messages) this.#messages.push(message);
    if (!this.#full && this.#messages.length >= this.#options.capacity) {
      this.#full = true;
      this.#options.onFull();
    }
    this.#signal();
  }

  /** Progress that follows progress stands for both: requests for it are not paused while the reader does not read. */
  #dropProgressBefore(next: KeyValueWatchMessage | undefined): void {
    if (next?.type === 'progress' && this.#messages.at(-1)?.type === 'progress') {
      this.#messages.pop();
    }
  }

  /** Ends the stream now; buffered messages are dropped. */
  end(): void {
    this.#end ??= {};
    this.#messages = [];
    this.#signal();
  }

  /** Ends the stream with an error, after the buffered messages. */
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
