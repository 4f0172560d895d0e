import type { KeyValueEvent, Revision } from './key-value-store.ts';

/** An event in the form watchers get it; one for all of them. */
export interface EventMessage {
  readonly type: 'event';
  readonly event: KeyValueEvent;
}

/** The changes of one revision, in the order they were made. */
export type RevisionEvents = readonly EventMessage[];

const SEGMENT = 4096;
/** Bytes of an event besides its value: the key-value, the event, its places in history and log. */
const EVENT_OVERHEAD_BYTES = 256;

/**
 * The changes of every kept revision, found by revision in constant time. Revisions are consecutive, so their number is
 * their place; segments of 4 096 keep growth free of copying and let old ones go whole.
 */
export class RevisionLog {
  #segments: (RevisionEvents | undefined)[][] = [];
  /** Revision of the first slot of the first segment. */
  #base: Revision;
  /** Slots that are empty already at the start of the first segment. */
  #dropped = 0;
  #bytes = 0;

  constructor(firstRevision: Revision) {
    this.#base = firstRevision;
  }

  /** The oldest revision in the log; that of the next entry when it is empty. */
  get first(): Revision {
    return this.#base + BigInt(this.#dropped);
  }

  /** Size of all kept values, with the cost of keeping them. */
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

  /** All entries as they are now; what the log drops later stays in the copy. */
  copy(): (RevisionEvents | undefined)[][] {
    return this.#segments.map((segment) => [...segment]);
  }

  /** Takes the oldest entry out. */
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
