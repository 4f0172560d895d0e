import { CountedTree } from './counted-tree.ts';
import { KeyHistory } from './key-history.ts';
import type {
  KeyValue,
  RangeRequest,
  RangeResponse,
  Revision,
} from './contract/key-value-store.ts';
import { orderedForm } from './contract/ordered-form.ts';
import { compactedError, futureRevisionError } from './contract/revision-errors.ts';
import { RevisionLog, type EventMessage, type RevisionEvents } from './revision-log.ts';

const NO_BYTES = new Uint8Array(0);
/** Sorts after the ordered form of every key: none begins with U+FFFF. */
const BEHIND_ALL = '\uffff';

/**
 * The state of the engine over time: every key at every kept revision, and the log of changes. Synchronous throughout.
 *
 * Writes belong to the open revision, one above the current one; `commit` closes it. Reads see the writes of the open
 * revision, so a transaction reads what it wrote.
 */
export class MultiVersionMap {
  /** Histories by key, for single keys; the tree has the same histories in key order. */
  readonly #keys = new Map<string, KeyHistory>();
  readonly #tree = new CountedTree<KeyHistory>();
  #log: RevisionLog;
  #revision: Revision;
  /** The open revision. */
  #next: Revision;
  #compacted: Revision;
  /** Histories are trimmed up to here; follows `#compacted`. */
  #trimmed: Revision;
  /** The writes of the open revision; nearly always there is only one. */
  #open: EventMessage[] | undefined;

  /** Compacted revisions whose state is still readable through `visitFrom`; see `pin`. */
  #pins: Revision[] = [];
  /** Keys with versions that only a pin keeps. */
  readonly #held = new Set<string>();

  /** Starts empty at `firstRevision`; earlier revisions count as compacted. */
  constructor(firstRevision: Revision = 1n) {
    this.#log = new RevisionLog(firstRevision + 1n);
    this.#revision = firstRevision;
    this.#next = firstRevision + 1n;
    this.#compacted = firstRevision === 1n ? 0n : firstRevision;
    this.#trimmed = firstRevision;
  }

  /** The current revision; once the open revision has a write, the open one. */
  get revision(): Revision {
    return this.#open === undefined ? this.#revision : this.#next;
  }

  get compactedRevision(): Revision {
    return this.#compacted;
  }

  /** The oldest revision that `range` can read. */
  get oldestReadable(): Revision {
    return this.#compacted === 0n ? 1n : this.#compacted;
  }

  /**
   * The oldest revision at which a watch can start: the compacted one. If the changes of that revision are not known, as after a
   * start above 1 or from a snapshot, the next one.
   */
  get oldestWatchable(): Revision {
    const { first } = this.#log;
    return this.#compacted === 0n || first <= this.#compacted ? this.#compacted : first;
  }

  /** Size of the log in bytes; see `RevisionLog.bytes`. */
  get historyBytes(): number {
    return this.#log.bytes;
  }

  /** The current state of one key. */
  get(key: string): KeyValue | undefined {
    const history = this.#keys.get(key);
    return history?.live === true ? history.latest : undefined;
  }

  put(key: string, value: Uint8Array, lease: bigint): void {
    const revision = this.#next;
    const history = this.#keys.get(key);
    const previous = history?.live === true ? history.latest : undefined;
    const kv: KeyValue = {
      key,
      value,
      createRevision: previous === undefined ? revision : previous.createRevision,
      modRevision: revision,
      version: previous === undefined ? 1n : previous.version + 1n,
      lease,
    };
    if (history === undefined) {
      this.restore(kv);
    } else {
      history.append(kv);
      if (previous === undefined) this.#tree.adjustLive(history.order, 1);
    }
    this.#record({ type: 'event', event: { type: 'put', kv, previous } });
  }

  /** Returns the deleted key-value; undefined, and writes nothing, when the key does not exist. */
  delete(key: string): KeyValue | undefined {
    const history = this.#keys.get(key);
    if (history === undefined || !history.live) return undefined;
    const previous = history.latest;
    const kv = tombstone(key, this.#next);
    history.append(kv);
    this.#tree.adjustLive(history.order, -1);
    this.#record({ type: 'event', event: { type: 'delete', kv, previous } });
    return previous;
  }

  /** Closes the open revision and returns its changes. Without changes it returns undefined, and the revision stays the same. */
  commit(): RevisionEvents | undefined {
    const events = this.#open;
    if (events === undefined) return undefined;
    this.#open = undefined;
    this.#revision = this.#next;
    this.#next += 1n;
    this.#log.append(events);
    return events;
  }

  /** The changes of a kept revision. */
  eventsAt(revision: Revision): RevisionEvents | undefined {
    return this.#log.at(revision);
  }

  /** @throws {ListwatchError} COMPACTED, FUTURE_REVISION. */
  checkReadable(revision: Revision): void {
    if (revision > this.#revision) throw futureRevisionError(revision, this.#revision);
    if (revision < this.#compacted) throw compactedError(revision, this.#compacted);
  }

  range(request: RangeRequest): RangeResponse {
    const { key, rangeEnd, keysOnly = false, countOnly = false } = request;
    const past = this.#pastRevision(request.revision);
    const limit = countOnly ? 0 : limitOf(request.limit);
    const start = orderedForm(key);
    const end = rangeEnd === undefined ? undefined : orderedForm(rangeEnd);
    const items =
      end === undefined ? this.#single(key, past) : this.#items(start, end, past, limit);
    const count = end === undefined ? items.length : this.#count(start, end, past, items, limit);
    return {
      revision: this.revision,
      items: countOnly ? [] : keysOnly ? items.map(withoutValue) : items,
      count,
      more: !countOnly && count > items.length,
    };
  }

  /**
   * Makes reads below `revision` impossible; `trim` frees the memory.
   * @throws {ListwatchError} COMPACTED, FUTURE_REVISION.
   */
  compact(revision: Revision): void {
    if (revision > this.#revision) throw futureRevisionError(revision, this.#revision);
    if (revision <= this.#compacted) throw compactedError(revision, this.#compacted);
    this.#compacted = revision;
  }

  /**
   * Frees memory that compaction made unreachable, revision by revision, until about `changes` changes are done. Returns whether
   * there is more to do.
   */
  trim(changes: number): boolean {
    let done = this.#trimHeld(changes);
    while (done < changes && this.#trimmed < this.#compacted) {
      this.#trimmed += 1n;
      const events = this.#log.at(this.#trimmed) ?? [];
      for (const { event } of events) this.#trimKey(event.kv.key);
      if (this.#log.first < this.#trimmed) this.#log.dropFirst();
      done += Math.max(1, events.length);
    }
    return this.#trimmed < this.#compacted || (this.#held.size > 0 && this.#pins.length === 0);
  }

  /**
   * Keeps the state at a revision readable for `visitFrom`, even if it is compacted, until the returned function is called (call
   * `trim` after it). It keeps at most one version of each key, and not the log.
   */
  pin(revision: Revision): () => void {
    this.#pins.push(revision);
    let pinned = true;
    return () => {
      if (!pinned) return;
      pinned = false;
      this.#pins.splice(this.#pins.indexOf(revision), 1);
    };
  }

  /**
   * Visits the keys at a pinned or readable revision in order, from `start` (in ordered form). Stops after `most` keys, or when
   * `visit` returns false. Returns the position to continue at: after the last key, or at the refused one; undefined at the end.
   */
  visitFrom(
    start: string,
    revision: Revision,
    most: number,
    visit: (kv: KeyValue) => boolean,
  ): string | undefined {
    let seen = 0;
    let next: string | undefined;
    this.#tree.visit(start, BEHIND_ALL, false, (history) => {
      const kv = history.at(revision);
      if (kv !== undefined && !visit(kv)) {
        next = history.order;
        return false;
      }
      seen += 1;
      if (seen < most) return true;
      next = `${history.order}\0`;
      return false;
    });
    return next;
  }

  /** The changes of all kept revisions, as they are now. */
  copyEvents(): (RevisionEvents | undefined)[][] {
    return this.#log.copy();
  }

  /** Adds a key in the state it has at the first revision. */
  restore(kv: KeyValue): void {
    const history = new KeyHistory(orderedForm(kv.key), kv);
    this.#keys.set(kv.key, history);
    this.#tree.insert(history.order, history);
  }

  /** Sets the changes of the first revision, which the restored keys contain already. Only for a map without writes. */
  restoreBase(changes: readonly { readonly type: 'put' | 'delete'; readonly key: string }[]): void {
    const revision = this.#revision;
    const events = changes.map(({ type, key }): EventMessage => {
      const kv = type === 'put' ? this.get(key) : tombstone(key, revision);
      if (kv?.modRevision !== revision) throw new RangeError('an event without its key-value');
      return { type: 'event', event: { type, kv } };
    });
    this.#log = new RevisionLog(revision);
    this.#log.append(events);
  }

  /** Continues at a higher revision; everything before it counts as compacted. */
  skipTo(revision: Revision): void {
    if (this.#compacted < this.#revision) this.compact(this.#revision);
    this.trim(Infinity);
    this.#log = new RevisionLog(revision + 1n);
    this.#revision = revision;
    this.#next = revision + 1n;
    this.#compacted = revision;
    this.#trimmed = revision;
  }

  #record(message: EventMessage): void {
    // An array literal allocates one slot; the first push to an empty array allocates about sixteen.
    if (this.#open === undefined) this.#open = [message];
    else this.#open.push(message);
  }

  #trimKey(key: string): void {
    const history = this.#keys.get(key);
    if (history === undefined) return;
    const lives = history.compact(this.#trimmed, this.#pins);
    if (this.#pins.length > 0 && history.depth > 0) this.#held.add(key);
    if (lives) return;
    this.#keys.delete(key);
    this.#tree.remove(history.order);
  }

  /** Frees the versions that were kept for released pins; returns the number of keys. */
  #trimHeld(most: number): number {
    if (this.#held.size === 0 || this.#pins.length > 0) return 0;
    let done = 0;
    for (const key of this.#held) {
      if (done === most) break;
      this.#held.delete(key);
      this.#trimKey(key);
      done += 1;
    }
    return done;
  }

  /** The past revision to read; undefined for the current state. */
  #pastRevision(asked: Revision | undefined): Revision | undefined {
    if (asked === undefined || asked <= 0n) return undefined;
    this.checkReadable(asked);
    return asked === this.#revision && this.#open === undefined ? undefined : asked;
  }

  #single(key: string, past: Revision | undefined): readonly KeyValue[] {
    const kv = past === undefined ? this.get(key) : this.#keys.get(key)?.at(past);
    return kv === undefined ? [] : [kv];
  }

  #items(start: string, end: string, past: Revision | undefined, limit: number): KeyValue[] {
    const items: KeyValue[] = [];
    if (limit === 0) return items;
    this.#tree.visit(start, end, past === undefined, (history) => {
      const kv = past === undefined ? history.latest : history.at(past);
      if (kv !== undefined) items.push(kv);
      return items.length < limit;
    });
    return items;
  }

  /** The number of keys in the range; `items` are the first `limit` of them. */
  #count(
    start: string,
    end: string,
    past: Revision | undefined,
    items: readonly KeyValue[],
    limit: number,
  ): number {
    if (items.length < limit) return items.length;
    const now = this.#tree.countLive(start, end);
    return past === undefined ? now : this.#countPast(start, end, past, now);
  }

  /** Either counts back from the present number through the log, or visits the keys, whichever is shorter. */
  #countPast(start: string, end: string, past: Revision, now: number): number {
    if (this.#revision - past > BigInt(now) || this.#open !== undefined) {
      return this.#items(start, end, past, Infinity).length;
    }
    let count = now;
    for (let revision = past + 1n; revision <= this.#revision; revision += 1n) {
      for (const { event } of this.#log.at(revision) ?? []) {
        const { type, kv, previous } = event;
        if (type === 'put' && previous !== undefined) continue;
        const order = orderedForm(kv.key);
        if (order >= start && order < end) count += type === 'put' ? -1 : 1;
      }
    }
    return count;
  }
}

function tombstone(key: string, modRevision: Revision): KeyValue {
  return { key, value: NO_BYTES, createRevision: 0n, modRevision, version: 0n, lease: 0n };
}

function limitOf(limit: number | undefined): number {
  return limit === undefined || limit <= 0 ? Infinity : limit;
}

function withoutValue(kv: KeyValue): KeyValue {
  return { ...kv, value: NO_BYTES };
}
