import { orderedForm } from '../../server/mvcc/contract/ordered-form.ts';
import type {
  Compare,
  CompareValue,
  KeyValue,
  KeyValueEvent,
  TxnOperation,
  OperationResponse,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
} from '../../server/mvcc/contract/key-value-store.ts';

/** The outcome of a transaction in a given state. */
export interface ReplayedTxn {
  readonly succeeded: boolean;
  readonly responses: readonly OperationResponse[];
  /** The changes of the transaction; the state contains them already. */
  readonly events: readonly KeyValueEvent[];
}

interface Entry {
  readonly order: string;
  readonly kv: KeyValue;
}

/**
 * A minimal key-value store: one state and one revision, without history and without asynchronous calls. The checkers carry out
 * operations on it and compare the results with those of the real store.
 */
export class ReplayedState {
  revision: Revision;
  /** In key order. */
  readonly #entries: Entry[] = [];

  constructor(revision: Revision, items: Iterable<KeyValue> = []) {
    this.revision = revision;
    for (const kv of items) this.#set(kv);
  }

  get(key: string): KeyValue | undefined {
    const order = orderedForm(key);
    const entry = this.#entries[this.#position(order)];
    return entry?.order === order ? entry.kv : undefined;
  }

  items(): readonly KeyValue[] {
    return this.#entries.map(({ kv }) => kv);
  }

  /** Reads the present state, regardless of the revision in the request. */
  range(request: RangeRequest): RangeResponse {
    const { limit = 0, keysOnly = false, countOnly = false } = request;
    const found = this.#inRange(request);
    const count = found.length;
    const taken = limit > 0 ? found.slice(0, limit) : found;
    const items = keysOnly ? taken.map((kv) => ({ ...kv, value: new Uint8Array() })) : taken;
    const more = !countOnly && taken.length < count;
    return { revision: this.revision, items: countOnly ? [] : items, count, more };
  }

  holds(compare: Compare | CompareValue): boolean {
    const kv = this.get(compare.key);
    if (compare.target === 'value') {
      return (
        kv !== undefined && orders(Buffer.compare(kv.value, compare.operand), compare.operator)
      );
    }
    const actual = kv?.[compare.target] ?? 0n;
    const { operand, operator } = compare;
    return orders(actual < operand ? -1 : actual > operand ? 1 : 0, operator);
  }

  /** Carries out a transaction. If it writes, its writes get `revision`, which becomes the revision of the state. */
  run({ compare, success, failure = [] }: TxnRequest, revision: Revision): ReplayedTxn {
    const succeeded = compare.every((one) => this.holds(one));
    const events: KeyValueEvent[] = [];
    const responses = (succeeded ? success : failure).map((operation) =>
      this.#runOne(operation, revision, events),
    );
    if (events.length > 0) this.revision = revision;
    return { succeeded, responses, events };
  }

  /** Reverts the changes of the newest revision. */
  undo(events: readonly KeyValueEvent[], revision: Revision): void {
    for (const { kv, previous } of events.toReversed()) {
      if (previous === undefined) this.#delete(kv.key);
      else this.#set(previous);
    }
    this.revision = revision;
  }

  #runOne(operation: TxnOperation, revision: Revision, events: KeyValueEvent[]): OperationResponse {
    switch (operation.type) {
      case 'range':
        return { type: 'range', ...this.range(operation) };
      case 'put': {
        const { key, value, lease = 0n } = operation;
        const previous = this.get(key);
        const createRevision = previous?.createRevision ?? revision;
        const version = (previous?.version ?? 0n) + 1n;
        const kv = { key, value, createRevision, modRevision: revision, version, lease };
        events.push({ type: 'put', kv, ...(previous === undefined ? {} : { previous }) });
        this.#set(kv);
        return { type: 'put' };
      }
      case 'delete': {
        const gone = this.#inRange(operation);
        for (const previous of gone) {
          events.push({ type: 'delete', kv: tombstone(previous.key, revision), previous });
          this.#delete(previous.key);
        }
        return { type: 'delete', deleted: gone.length, previous: gone };
      }
    }
  }

  #inRange({ key, rangeEnd }: Pick<RangeRequest, 'key' | 'rangeEnd'>): readonly KeyValue[] {
    if (rangeEnd === undefined) {
      const kv = this.get(key);
      return kv === undefined ? [] : [kv];
    }
    const from = this.#position(orderedForm(key));
    const to = this.#position(orderedForm(rangeEnd));
    return this.#entries.slice(from, to).map(({ kv }) => kv);
  }

  #set(kv: KeyValue): void {
    const order = orderedForm(kv.key);
    const at = this.#position(order);
    const replaced = this.#entries[at]?.order === order ? 1 : 0;
    this.#entries.splice(at, replaced, { order, kv });
  }

  #delete(key: string): void {
    this.#entries.splice(this.#position(orderedForm(key)), 1);
  }

  /** The index of a key, or the index at which it would be inserted. */
  #position(order: string): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as Entry).order < order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function tombstone(key: string, modRevision: Revision): KeyValue {
  const value = new Uint8Array();
  return { key, value, createRevision: 0n, modRevision, version: 0n, lease: 0n };
}

function orders(comparison: number, operator: Compare['operator']): boolean {
  switch (operator) {
    case '=':
      return comparison === 0;
    case '!=':
      return comparison !== 0;
    case '<':
      return comparison < 0;
    case '>':
      return comparison > 0;
  }
}

/** Whether `key` lies in the range of a request. */
export function covers(
  { key: first, rangeEnd }: Pick<RangeRequest, 'key' | 'rangeEnd'>,
  key: string,
): boolean {
  if (rangeEnd === undefined) return key === first;
  const order = orderedForm(key);
  return order >= orderedForm(first) && order < orderedForm(rangeEnd);
}

export function sameKeyValue(left: KeyValue | undefined, right: KeyValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.key === right.key &&
    left.modRevision === right.modRevision &&
    left.createRevision === right.createRevision &&
    left.version === right.version &&
    Buffer.compare(left.value, right.value) === 0
  );
}
