import type { KeyValueEvent, Revision } from './key-value-store.ts';

/** An event in the form watchers get it; one for all of them. */
export interface EventMessage {
  readonly type: 'event';
  readonly event: KeyValueEvent;
}

/** The changes of one revision, in the order they were made. */
export type RevisionEvents = readonly EventMessage[];

const SEGMENT = 4096;
/** What an event costs besides its value: the key-value, the event, its places in history and log. */
const EVENT_OVERHEAD_BYTES = 256;

/**
 * The changes of every kept revision, found by revision in constant time. Revisions are consecutive, so their number is
 * their place; segments of 4 096 keep growth free of copying and let old ones go whole.
 */
export class RevisionLog {
  #segments: (RevisionEvents | undefined)[][] = [];
  /** Revision of the first slot of the first segment. */
  #base: Revision;
  #first: Revision;
  #end: Revision;
  #bytes = 0;

  constructor(firstRevision: Revision) {
    this.#base = firstRevision;
    this.#first = firstRevision;
    this.#end = firstRevision;
  }

  /** The oldest revision in the log; equal to `end` when it is empty. */
  get first(): Revision {
    return this.#first;
  }

  /** The revision the next entry gets. */
  get end(): Revision {
    return this.#end;
  }

  /** Size of all kept values, with the cost of keeping them. */
  get bytes(): number {
    return this.#bytes;
  }

  append(events: RevisionEvents): void {
    const last = this.#segments.at(-1);
    if (last === undefined || last.length === SEGMENT) this.#segments.push([events]);
    else last.push(events);
    this.#end += 1n;
    this.#bytes += sizeOf(events);
  }

  at(revision: Revision): RevisionEvents | undefined {
    if (revision < this.#first || revision >= this.#end) return undefined;
    const place = Number(revision - this.#base);
    return this.#segments[Math.floor(place / SEGMENT)]?.[place % SEGMENT];
  }

  /** Takes the oldest entry out. */
  dropFirst(): void {
    const events = this.at(this.#first);
    if (events === undefined) return;
    const segment = this.#segments[0] as (RevisionEvents | undefined)[];
    segment[Number(this.#first - this.#base)] = undefined;
    this.#bytes -= sizeOf(events);
    this.#first += 1n;
    if (this.#first - this.#base === BigInt(SEGMENT)) {
      this.#segments.shift();
      this.#base = this.#first;
    }
  }
}

function sizeOf(events: RevisionEvents): number {
  let bytes = 0;
  for (const { event } of events) bytes += event.kv.value.byteLength + EVENT_OVERHEAD_BYTES;
  return bytes;
}
