import type { KeyValueEvent, Revision } from './contract/key-value-store.ts';

/** An event in the form that watchers receive; all watchers share one object. */
export interface EventMessage {
  readonly type: 'event';
  readonly event: KeyValueEvent;
}

/** The changes of one revision, in the order they were made. */
export type RevisionEvents = readonly EventMessage[];

const SEGMENT = 4096;
/** Estimated size of an event without its value: the key-value, the event, and its slots in history and log. */
const EVENT_OVERHEAD_BYTES = 256;

/**
 * The changes of every kept revision, found by revision in constant time. Revisions are consecutive, so the number is the
 * index. With segments of 4 096 entries, growth copies nothing and old segments are freed as a whole.
 */
export class RevisionLog {
  #segments: (RevisionEvents | undefined)[][] = [];
  /** Revision of the first slot of the first segment. */
  #base: Revision;
  /** Number of slots at the start of the first segment that are already empty. */
  #dropped = 0;
  #bytes = 0;

  constructor(firstRevision: Revision) {
    this.#base = firstRevision;
  }

  /** The oldest revision in the log; if it is empty, the revision of the next entry. */
  get first(): Revision {
    return this.#base + BigInt(this.#dropped);
  }

  /** Size of all kept values and of the structures that hold them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the changes of the next revision. */
  append(events: RevisionEvents): void {
    const last = this.#segments.at(-1);
    if (last === undefined || last.length === SEGMENT) this.#segments.push([events]);
    else last.push(events);
    this.#bytes += sizeOf(events);
  }

  at(revision: Revision): RevisionEvents | undefined {
    const place = Number(revision - this.#base);
    if (place < this.#dropped) return undefined;
    return this.#segments[Math.floor(place / SEGMENT)]?.[place % SEGMENT];
  }

  /** A copy of all present entries; entries that the log drops later stay in it. */
  copy(): (RevisionEvents | undefined)[][] {
    return this.#segments.map((segment) => [...segment]);
  }

  /** Removes the oldest entry. */
  dropFirst(): void {
    const segment = this.#segments[0];
    const events = segment?.[this.#dropped];
    if (segment === undefined || events === undefined) return;
    segment[this.#dropped] = undefined;
    this.#bytes -= sizeOf(events);
    this.#dropped += 1;
    if (this.#dropped < SEGMENT) return;
    this.#segments.shift();
    this.#base += BigInt(SEGMENT);
    this.#dropped = 0;
  }
}

function sizeOf(events: RevisionEvents): number {
  let bytes = 0;
  for (const { event } of events) bytes += event.kv.value.byteLength + EVENT_OVERHEAD_BYTES;
  return bytes;
}
