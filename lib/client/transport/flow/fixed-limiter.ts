import type { Runtime } from '../../../kernel/time/runtime.ts';
import { MOST_QUEUED, type FixedLimit, type RequestLimiter } from './request-limiter.ts';
import { TurnQueue, type Lane } from './turn-queue.ts';

export interface FixedLimiterOptions extends FixedLimit {
  readonly runtime: Runtime;
  readonly onChange?: (() => void) | undefined;
}

/** A token bucket with a rate that the user gave. It starts full. */
export class FixedLimiter implements RequestLimiter {
  readonly rate: number;
  readonly #queue: TurnQueue;

  constructor({ runtime, queriesPerSecond, burst, onChange }: FixedLimiterOptions) {
    this.rate = queriesPerSecond;
    this.#queue = new TurnQueue({
      runtime,
      maxQueued: MOST_QUEUED,
      describe: () =>
        `for the option "limiter", which allows ${queriesPerSecond} a second; send fewer, or raise the limit`,
      onChange,
    });
    this.#queue.limit(queriesPerSecond, burst ?? Math.max(1, Math.floor(queriesPerSecond)), true);
  }

  get queued(): number {
    return this.#queue.size;
  }

  turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> | undefined {
    return this.#queue.turn(lane, signal);
  }

  answered(): void {}

  close(reason: unknown): void {
    this.#queue.close(reason);
  }
}
