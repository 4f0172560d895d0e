import type { EventEntry } from './event-entry.ts';
import type { EventFact } from './event-fact.ts';

/** The result of one occurrence: an event that is new or was seen again, and whether the server has to learn of it now. */
export interface Correlation {
  readonly entry: EventEntry;
  readonly write: boolean;
}

/** Which occurrences are one event on the server. */
export interface EventCorrelator {
  observe(fact: EventFact): Correlation;
  /** The entry could not be written, and the server does not have it. */
  lost(entry: EventEntry): void;
  /** The writes that are due because of the time that has passed. */
  due(): readonly EventEntry[];
  /** How often `due` has to be called, in milliseconds; undefined: never. */
  readonly periodMs: number | undefined;
  /** The remaining writes of a recorder that ends. */
  unwritten(): readonly EventEntry[];
}

/** Entries in memory; the least recently seen one is dropped first. See client-go tools/record/events_cache.go. */
const KEPT_EVENTS = 4096;

/** The bound of a cache of events, each of size 1. With `max` the cache would reserve its room at once, in each controller. */
export const KEPT: { readonly maxSize: number; readonly sizeCalculation: () => number } = {
  maxSize: KEPT_EVENTS,
  sizeCalculation: () => 1,
};
