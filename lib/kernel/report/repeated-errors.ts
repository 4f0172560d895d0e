import { failureMessage } from '../failure/error-chain.ts';

/** The most distinct errors in memory; above it the error that has not occurred for the longest time is removed. */
const MOST_ERRORS = 16;
/** After this pause, milliseconds, an error counts as new. It is longer than any back-off between two tries. */
const FORGOTTEN_AFTER_MS = 600_000;
/** The interval between the first two log lines, milliseconds; it doubles. */
const FIRST_DISTANCE_MS = 10_000;
const LONGEST_DISTANCE_MS = 600_000;
/** The length of the beginning of a message by which errors are compared, characters. */
const TELLING_CHARACTERS = 300;

/** The occurrences of an error. */
export interface Repetition {
  /** The number of earlier occurrences, 0 for the first one; after a pause of ten minutes it starts at 0. */
  readonly repeated: number;
  /** Whether to log it: the first occurrence, then at intervals that double from 10 s to 10 min. */
  readonly worthLogging: boolean;
  /** The number of occurrences since the last logged one. */
  readonly leftOut: number;
}

interface Entry {
  repeated: number;
  lastMs: number;
  loggedMs: number;
  distanceMs: number;
  leftOut: number;
}

/** Distinguishes new errors from repeated ones, so that a long outage does not fill a log. */
export class RepeatedErrors {
  readonly #entries: Map<string, Entry> = new Map();

  /** Counts an error. Errors are the same if `kind` and the words of their messages, without numbers, are equal. */
  note(kind: string, error: unknown, nowMs: number): Repetition {
    const key = `${kind} ${failureMessage(error).slice(0, TELLING_CHARACTERS).replaceAll(/\d+/g, '#')}`;
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    if (known === undefined || nowMs - known.lastMs > FORGOTTEN_AFTER_MS) {
      this.#remember(key, nowMs);
      return { repeated: 0, worthLogging: true, leftOut: 0 };
    }
    this.#entries.set(key, known);
    known.repeated += 1;
    known.lastMs = nowMs;
    const { repeated, leftOut, distanceMs } = known;
    if (nowMs - known.loggedMs < distanceMs) {
      known.leftOut += 1;
      return { repeated, worthLogging: false, leftOut: known.leftOut };
    }
    known.loggedMs = nowMs;
    known.leftOut = 0;
    known.distanceMs = Math.min(distanceMs * 2, LONGEST_DISTANCE_MS);
    return { repeated, worthLogging: true, leftOut };
  }

  #remember(key: string, nowMs: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < MOST_ERRORS) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, {
      repeated: 0,
      lastMs: nowMs,
      loggedMs: nowMs,
      distanceMs: FIRST_DISTANCE_MS,
      leftOut: 0,
    });
  }
}
