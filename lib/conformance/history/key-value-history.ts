import type {
  KeyValue,
  KeyValueEvent,
  RangeRequest,
  Revision,
} from '../../server/mvcc/contract/key-value-store.ts';
import { covers } from './replayed-state.ts';

/** All changes of one revision, in the order in which the store made them. */
export interface Commit {
  readonly revision: Revision;
  readonly events: readonly KeyValueEvent[];
}

/** @experimental */
export interface KeyValueHistoryOptions {
  /** The state before the first commit. */
  readonly base: { readonly revision: Revision; readonly items: readonly KeyValue[] };
  /** All revisions after the base, in order. */
  readonly commits: readonly Commit[];
}

interface KeyState {
  readonly revision: Revision;
  readonly kv: KeyValue | undefined;
}

/**
 * A history without gaps: every change since the base, and every state in between.
 *
 * @experimental
 */
export class KeyValueHistory {
  readonly firstRevision: Revision;
  readonly lastRevision: Revision;
  readonly #events: readonly KeyValueEvent[];
  /** The states of each key, oldest first. */
  readonly #keys = new Map<string, KeyState[]>();

  constructor({ base, commits }: KeyValueHistoryOptions) {
    this.firstRevision = base.revision;
    this.lastRevision = commits.at(-1)?.revision ?? base.revision;
    this.#events = commits.flatMap(({ events }) => events);
    for (const kv of base.items) this.#keys.set(kv.key, [{ revision: kv.modRevision, kv }]);
    for (const { type, kv } of this.#events) {
      const state = { revision: kv.modRevision, kv: type === 'put' ? kv : undefined };
      const states = this.#keys.get(kv.key);
      if (states === undefined) this.#keys.set(kv.key, [state]);
      else states.push(state);
    }
  }

  /** Number of changes. */
  get size(): number {
    return this.#events.length;
  }

  /** The value of `key` right after `revision`. */
  at(key: string, revision: Revision): KeyValue | undefined {
    const states = this.#keys.get(key) ?? [];
    const next = firstWith(
      states.length,
      (index) => (states[index] as KeyState).revision > revision,
    );
    return states[next - 1]?.kv;
  }

  /** The key-values of a range right after `revision`, in no order. */
  stateAt(range: Pick<RangeRequest, 'key' | 'rangeEnd'>, revision: Revision): KeyValue[] {
    const found: KeyValue[] = [];
    for (const key of this.#keys.keys()) {
      const kv = covers(range, key) ? this.at(key, revision) : undefined;
      if (kv !== undefined) found.push(kv);
    }
    return found;
  }

  /** The changes in a range, from one revision to another, both included. */
  events(
    range: Pick<RangeRequest, 'key' | 'rangeEnd'>,
    from: Revision,
    to: Revision,
  ): readonly KeyValueEvent[] {
    const found: KeyValueEvent[] = [];
    for (let index = this.#firstFrom(from); index < this.#events.length; index += 1) {
      const event = this.#events[index] as KeyValueEvent;
      if (event.kv.modRevision > to) break;
      if (covers(range, event.kv.key)) found.push(event);
    }
    return found;
  }

  /** The first change in a range at or after a revision. */
  firstEvent(
    range: Pick<RangeRequest, 'key' | 'rangeEnd'>,
    from: Revision,
  ): KeyValueEvent | undefined {
    for (let index = this.#firstFrom(from); index < this.#events.length; index += 1) {
      const event = this.#events[index] as KeyValueEvent;
      if (covers(range, event.kv.key)) return event;
    }
    return undefined;
  }

  #firstFrom(revision: Revision): number {
    const { length } = this.#events;
    return firstWith(
      length,
      (index) => (this.#events[index] as KeyValueEvent).kv.modRevision >= revision,
    );
  }
}

/** The first index at which a monotonic condition holds; `length` if it never holds. */
export function firstWith(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
