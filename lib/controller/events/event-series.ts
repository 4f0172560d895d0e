import { LRUCache } from 'lru-cache';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { KEPT, type Correlation, type EventCorrelator } from './event-correlator.ts';
import { EventEntry } from './event-entry.ts';
import { factKey, type EventFact } from './event-fact.ts';

/** How often the series are looked through. */
const PERIOD_MS = 60_000;
/** A series that was not seen for this long is over. */
const IDLE_MS = 6 * 60_000;
/** A series that goes on is written this often. */
const REFRESH_MS = 30 * 60_000;

/**
 * Series of events.k8s.io/v1: the first occurrence makes an event, the second begins its series, further ones are counted here. The note
 * is not compared. A running series is written every 30 minutes, and once more when it was idle for 6 minutes.
 * @see client-go tools/events/event_broadcaster.go; its map of series has no bound.
 */
export class EventSeries implements EventCorrelator {
  readonly periodMs: number = PERIOD_MS;
  readonly #runtime: Runtime;
  readonly #entries: LRUCache<string, EventEntry>;

  /** `evicted` gets entries whose last count is not written, when there are too many. */
  constructor(runtime: Runtime, evicted: (entry: EventEntry) => void) {
    this.#runtime = runtime;
    this.#entries = new LRUCache({
      ...KEPT,
      dispose: (entry, _key, reason) => {
        if (reason === 'evict' && entry.unwritten) evicted(entry);
      },
    });
  }

  observe(fact: EventFact): Correlation {
    const key = factKey(fact);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.again(known.note);
      return { entry: known, write: known.count === 2 };
    }
    const entry = new EventEntry(this.#runtime, key, fact);
    this.#entries.set(key, entry);
    return { entry, write: true };
  }

  lost(entry: EventEntry): void {
    if (this.#entries.peek(entry.key) === entry) this.#entries.delete(entry.key);
  }

  due(): readonly EventEntry[] {
    const nowMs = this.#runtime.monotonicMs();
    const due: EventEntry[] = [];
    for (const entry of Array.from(this.#entries.values())) {
      const idle = nowMs - entry.seenAtMs >= IDLE_MS;
      if (idle) this.#entries.delete(entry.key);
      const refresh = entry.stored && nowMs - entry.writtenAtMs >= REFRESH_MS;
      if (entry.unwritten && (idle || refresh)) due.push(entry);
    }
    return due;
  }

  unwritten(): readonly EventEntry[] {
    return [...this.#entries.values()].filter((entry) => entry.unwritten);
  }
}
