import type { Runtime, Timer } from '../../lib/kernel/time/runtime.ts';
import type { Dice } from './dice.ts';
import type { ThingEvent } from './thing.ts';

type End = { readonly error: unknown } | 'closed';

export interface FaultyStreamOptions {
  readonly runtime: Runtime;
  readonly dice: Dice;
  /** The reader asks for more, so it has done with everything it was given. */
  readonly onPull: (stream: FaultyStream) => void;
  readonly onGive: (stream: FaultyStream, batch: readonly ThingEvent[]) => void;
  /** Called once, when there is no reader any more or nothing left to read. */
  readonly onEnd: (stream: FaultyStream) => void;
}

/** One watch stream that can be late, silent or cut. Its batches are of random size. */
export class FaultyStream implements AsyncIterable<readonly ThingEvent[]> {
  /** The initial state of a streaming list is under way. */
  initial = false;
  /** That the reader goes on does not mean that it has used what it was given. */
  provesNothing = false;
  /** The reader has not been given its end. */
  givenInitial = false;
  /** The newest version that was pushed, as a number of the history; -1 for none. */
  carriedSeq = -1;
  /** The newest version the reader was given, as a number of the history; -1 for none. */
  givenSeq = -1;
  readonly #options: FaultyStreamOptions;
  readonly #queue: ThingEvent[] = [];
  #end: End | undefined;
  #over = false;
  #silent = false;
  #hold: Timer | undefined;
  #wake: (() => void) | undefined;

  constructor(options: FaultyStreamOptions) {
    this.#options = options;
  }

  /** Nothing more can be added. */
  get ended(): boolean {
    return this.#end !== undefined || this.#silent;
  }

  push(event: ThingEvent): void {
    if (this.ended) return;
    this.#queue.push(event);
    this.#signal();
  }

  /** Ends after what was pushed. */
  finish(end: End): void {
    if (this.#silent) return;
    this.#end ??= end;
    this.#signal();
  }

  /** From now on there is no sign of life, and no end. */
  silence(): void {
    this.#silent = true;
  }

  /** The pushed events and those after them come later. */
  holdFor(delayMs: number): void {
    if (this.#hold !== undefined || this.ended) return;
    this.#hold = this.#options.runtime.setTimer(
      delayMs,
      () => {
        this.#hold = undefined;
        this.#signal();
      },
      { background: true },
    );
  }

  /** The reader has gone. */
  leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#hold?.cancel();
    this.#hold = undefined;
    this.#silent = false;
    this.#queue.length = 0;
    this.#end ??= 'closed';
    this.#options.onEnd(this);
    this.#signal();
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly ThingEvent[], undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<readonly ThingEvent[], undefined>> {
    this.#options.onPull(this);
    for (;;) {
      if (!this.#silent && this.#hold === undefined) {
        if (this.#queue.length > 0) return { done: false, value: this.#takeBatch() };
        if (this.#end !== undefined) {
          const end = this.#end;
          this.leave();
          if (end === 'closed') return { done: true, value: undefined };
          throw end.error;
        }
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #takeBatch(): readonly ThingEvent[] {
    const { dice, onGive } = this.#options;
    const { length } = this.#queue;
    const size = length > 1 && dice.chance(0.3) ? dice.int(1, length) : length;
    const batch = this.#queue.splice(0, size);
    onGive(this, batch);
    return batch;
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
