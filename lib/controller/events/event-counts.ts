import { LRUCache } from 'lru-cache';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { KEPT, type Correlation, type EventCorrelator } from './event-correlator.ts';
import { EventEntry } from './event-entry.ts';
import { factKey, type EventFact } from './event-fact.ts';

/** From so many different notes on, the events are one. */
const SIMILAR = 10;
/** Similar events are counted anew when none came for this long. */
const SIMILAR_WITHIN_MS = 600_000;
const COMBINED = '(combined from similar events): ';

interface SimilarEvents {
  readonly notes: Set<string>;
  lastAtMs: number;
}

/**
 * Counts of core/v1: the same event with the same note is one event, whose count is written each time. Ten different notes within ten
 * minutes are combined into one event, which has the last note.
 * @see client-go tools/record/events_cache.go
 */
export class EventCounts implements EventCorrelator {
  readonly periodMs: undefined;
  readonly #runtime: Runtime;
  readonly #similar = new LRUCache<string, SimilarEvents>(KEPT);
  readonly #entries = new LRUCache<string, EventEntry>(KEPT);

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  observe(fact: EventFact): Correlation {
    const similar = factKey(fact);
    const combined = this.#isCombined(similar, fact.note);
    const note = combined ? `${COMBINED}${fact.note}` : fact.note;
    const key = combined ? similar : `${similar}${fact.note}`;
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.again(note);
      return { entry: known, write: true };
    }
    const entry = new EventEntry(this.#runtime, key, { ...fact, note });
    this.#entries.set(key, entry);
    return { entry, write: true };
  }

  /** The next occurrence tries again, with its count. */
  lost(): void {}

  due(): readonly EventEntry[] {
    return [];
  }

  /** Each occurrence is written at once. */
  unwritten(): readonly EventEntry[] {
    return [];
  }

  #isCombined(key: string, note: string): boolean {
    const nowMs = this.#runtime.monotonicMs();
    let similar = this.#similar.get(key);
    if (similar === undefined || nowMs - similar.lastAtMs > SIMILAR_WITHIN_MS) {
      similar = { notes: new Set(), lastAtMs: nowMs };
      this.#similar.set(key, similar);
    }
    similar.lastAtMs = nowMs;
    if (similar.notes.size < SIMILAR) similar.notes.add(note);
    return similar.notes.size >= SIMILAR;
  }
}
