import { failureMessage } from './error-chain.ts';

/** Most distinct errors that are remembered; the one that was silent for longest is forgotten. */
const MOST_ERRORS = 16;
/** An error that stayed away for this long is a new one, milliseconds. It is longer than any back-off between two tries. */
const FORGOTTEN_AFTER_MS = 600_000;
/** Distance of the first two mentions, milliseconds; it doubles. */
const FIRST_DISTANCE_MS = 10_000;
const LONGEST_DISTANCE_MS = 600_000;
/** Beginning of a message that tells errors apart. */
const TELLING_CHARACTERS = 300;

/** How often an error came. */
export interface Repetition {
  /** How often it came before, 0 for the first time; a pause of ten minutes starts again. */
  readonly repeated: number;
  /** Whether a log should have it: the first one, then at distances that double from 10 s to 10 min. */
  readonly worthLogging: boolean;
  /** How many were left out since the last one that was worth it. */
  readonly leftOut: number;
}

interface Entry {
  repeated: number;
  lastMs: number;
  loggedMs: number;
  distanceMs: number;
  leftOut: number;
}

/** Tells a new error from one that keeps coming, so that a server that refuses for hours fills no disk. */
export class RepeatedErrors {
  readonly #entries: Map<string, Entry> = new Map();

  /** Notes an error; `kind` and the words of its message without their numbers say which are the same. */
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
