import { is, optionsOf, type OptionRule } from '../../../kernel/options/options-schema.ts';
import type { Lane } from './turn-queue.ts';

/** A fixed limit on the requests of a client. */
export interface FixedLimit {
  /** Requests a second on average, above 0. */
  readonly queriesPerSecond: number;
  /** The number of requests that may go at once after a pause. @defaultValue queriesPerSecond, at least 1 */
  readonly burst?: number | undefined;
}

/**
 * How a client limits its requests. `'adaptive'`: not, until the server refuses some because it gets too many. `false`: never.
 */
export type LimiterOption = 'adaptive' | false | FixedLimit;

/** Decides when a request goes out. */
export interface RequestLimiter {
  /** Requests a second; `Infinity` while there is no limit. */
  readonly rate: number;
  /** The number of requests that wait. */
  readonly queued: number;
  /**
   * Undefined if the request may go now; otherwise a promise that resolves when it may, and rejects with the signal's reason.
   * @throws {ListwatchError} code BUFFER_FULL when too many requests wait.
   */
  turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> | undefined;
  /** The server has answered a request that was sent at `sentMs`, monotonic; `load`: it was refused because there are too many. */
  answered(sentMs: number, load: boolean): void;
  /** Requests that wait fail with `reason`. */
  close(reason: unknown): void;
}

/** The most requests that wait for a turn. */
export const MOST_QUEUED = 10_000;

const FIXED_LIMIT = optionsOf<FixedLimit>()('limiter', {
  queriesPerSecond: is.number({ min: 0.001, max: 1_000_000 }).required,
  burst: is.integer({ min: 1, max: 1_000_000 }),
});

export const LIMITER: OptionRule<LimiterOption, undefined> = FIXED_LIMIT.nestedOr(
  "'adaptive', false or { queriesPerSecond, burst }",
  'adaptive',
  false,
);
