import type { KeyValue, Revision } from './contract/key-value-store.ts';

const NO_PINS: readonly Revision[] = [];

/** Whether a version marks a deletion. */
export function isTombstone(version: KeyValue): boolean {
  return version.version === 0n;
}

/**
 * All kept versions of one key, oldest first. A deletion is a version too (a tombstone), so the history may contain several
 * creations of the key.
 *
 * Nearly all keys have one version; the array for older ones is allocated with the second version.
 */
export class KeyHistory {
  /** The key in the form by which the index is sorted. */
  readonly order: string;
  #latest: KeyValue;
  /** Derived from the latest version, and stored because range reads look at nothing else of a dead key. */
  #live: boolean;
  #older: KeyValue[] | undefined;

  constructor(order: string, first: KeyValue) {
    this.order = order;
    this.#latest = first;
    this.#live = !isTombstone(first);
  }

  /** Whether the key exists now. */
  get live(): boolean {
    return this.#live;
  }

  /** The newest version, a tombstone included. */
  get latest(): KeyValue {
    return this.#latest;
  }

  append(version: KeyValue): void {
    if (this.#older === undefined) this.#older = [this.#latest];
    else this.#older.push(this.#latest);
    this.#latest = version;
    this.#live = !isTombstone(version);
  }

  /** The state as of `revision`; undefined when the key did not exist then. */
  at(revision: Revision): KeyValue | undefined {
    const version = this.#newestUpTo(revision);
    return version === undefined || isTombstone(version) ? undefined : version;
  }

  /**
   * Drops the versions that no read at `revision` or later, or at a pinned revision, can see. Of the versions up to a revision the
   * newest one is kept, unless it is a tombstone. Returns false when no version is left.
   */
  compact(revision: Revision, pins: readonly Revision[] = NO_PINS): boolean {
    if (this.#older === undefined) return this.#live || this.#latest.modRevision > revision;
    if (pins.length > 0) return this.#compactAround(revision, pins);
    if (this.#latest.modRevision <= revision) {
      this.#older = undefined;
      return this.#live;
    }
    const newest = countUpTo(this.#older, revision) - 1;
    if (newest < 0) return true;
    const first = isTombstone(this.#older[newest] as KeyValue) ? newest + 1 : newest;
    if (first === this.#older.length) this.#older = undefined;
    else if (first > 0) this.#older.splice(0, first);
    return true;
  }

  /** The number of versions kept before the latest one. */
  get depth(): number {
    return this.#older?.length ?? 0;
  }

  #compactAround(revision: Revision, pins: readonly Revision[]): boolean {
    const seen = new Set<KeyValue | undefined>([this.#newestUpTo(revision)]);
    for (const pin of pins) if (pin < revision) seen.add(this.#newestUpTo(pin));
    const kept = (this.#older as KeyValue[]).filter(
      (version) => version.modRevision > revision || seen.has(version),
    );
    this.#older = kept.length === 0 ? undefined : kept;
    return this.#live || kept.length > 0 || this.#latest.modRevision > revision;
  }

  #newestUpTo(revision: Revision): KeyValue | undefined {
    if (this.#latest.modRevision <= revision) return this.#latest;
    return this.#older?.[countUpTo(this.#older, revision) - 1];
  }
}

/** How many of the versions were written at `revision` or before. */
function countUpTo(versions: readonly KeyValue[], revision: Revision): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((versions[middle] as KeyValue).modRevision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
