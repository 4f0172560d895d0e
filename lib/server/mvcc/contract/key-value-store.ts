/**
 * The interface between the storage and the key-value engine: the embedded engine, or a real etcd cluster.
 * It is the part of etcd's API that Kubernetes uses, with etcd's semantics.
 *
 * Guarantees:
 * - An empty store is at revision 1; each write transaction adds 1, and all its writes share that revision.
 * - A put of the same value is a write: it makes a new revision, a new version and an event. A delete of a missing key is not.
 * - Keys are ordered by their UTF-8 bytes; a key without a UTF-8 form is refused with INVALID_KEY.
 * - Reads are linearizable unless the request names a revision; a read changes nothing.
 * - A read at a past revision returns the state at that revision, but `revision` in the response is always the current one.
 *
 * @experimental
 */
export interface KeyValueStore {
  /** Keys from `key` (included) to `rangeEnd` (not included), or the single `key`. */
  range(request: RangeRequest): Promise<RangeResponse>;
  /**
   * Atomically carries out `success` if all comparisons hold, otherwise `failure`. A refused transaction has no effect.
   * @throws {ListwatchError} DUPLICATE_KEY, TOO_MANY_OPERATIONS, INVALID_KEY and VALUE_TOO_LARGE (all values together) for
   * either branch; LEASE_NOT_FOUND, COMPACTED and FUTURE_REVISION for the one that is taken.
   */
  txn(request: TxnRequest): Promise<TxnResponse>;
  /** Starts a watch; resolves when the store has registered it. @throws {ListwatchError} INVALID_KEY for a range without keys. */
  watch(request: KeyValueWatchRequest): Promise<KeyValueWatch>;
  /** Drops history below `revision`. @throws {ListwatchError} COMPACTED or FUTURE_REVISION. */
  compact(revision: Revision): Promise<void>;
  /**
   * Grants a lease that expires after `ttlSeconds`. Its keys are deleted then, in key order and in one revision.
   * @throws {ListwatchError} INVALID_OPTION for more than 9 000 000 000 seconds.
   */
  leaseGrant(ttlSeconds: number): Promise<Lease>;
  /** Ends a lease now and deletes its keys, in one revision. @throws {ListwatchError} LEASE_NOT_FOUND. */
  leaseRevoke(leaseId: bigint): Promise<void>;
  /** The current and the compacted revision. */
  status(): Promise<KeyValueStatus>;
  /** Whether `KeyValueWatch.requestProgress` is reliable (etcd before 3.4.31 and 3.5.13 answers too early). */
  readonly supportsProgress: boolean;
  /** Ends all watches and timers. */
  close(): Promise<void>;
}

/**
 * A point in the store's history. It has 64 bits and is therefore never a `number`.
 *
 * @experimental
 */
export type Revision = bigint;

/** @experimental */
export interface KeyValue {
  readonly key: string;
  /** Must not be modified: readers, history and events share it. */
  readonly value: Uint8Array;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** Number of writes since creation; 1 for a new key. */
  readonly version: bigint;
  /** 0 for none. */
  readonly lease: bigint;
}

/** @experimental */
export interface RangeRequest {
  readonly key: string;
  /** Left out: only `key`. A value that does not sort after `key` makes an empty range. See `prefixEnd`. */
  readonly rangeEnd?: string | undefined;
  /** Left out, 0 or below: the current state. @throws {ListwatchError} COMPACTED below, FUTURE_REVISION above the kept history. */
  readonly revision?: Revision | undefined;
  /** Left out, 0 or below: no limit. */
  readonly limit?: number | undefined;
  /**
   * The response may have fewer keys than the limit, one at least, with `more`, so that it can be sent in time. The reader asks for
   * the rest at the revision of the first response. @defaultValue false
   */
  readonly mayEndEarly?: boolean | undefined;
  readonly keysOnly?: boolean | undefined;
  readonly countOnly?: boolean | undefined;
}

/** @experimental */
export interface RangeResponse {
  /** The store's current revision; inside a transaction, the revision of the transaction. */
  readonly revision: Revision;
  readonly items: readonly KeyValue[];
  /** The number of all keys in the range, regardless of the limit. */
  readonly count: number;
  readonly more: boolean;
}

/**
 * A comparison with one property of one key. All properties of a missing key are 0.
 *
 * @experimental
 */
export interface Compare {
  readonly key: string;
  readonly target: 'modRevision' | 'createRevision' | 'version' | 'lease';
  readonly operator: '=' | '!=' | '>' | '<';
  readonly operand: bigint;
}

/** A comparison with the value of a key; it is false for a missing key. */
export interface CompareValue {
  readonly key: string;
  readonly target: 'value';
  readonly operator: '=' | '!=' | '>' | '<';
  readonly operand: Uint8Array;
}

export interface PutOperation {
  readonly type: 'put';
  readonly key: string;
  readonly value: Uint8Array;
  /** Left out: no lease; an earlier lease is detached. */
  readonly lease?: bigint | undefined;
}

export interface DeleteOperation {
  readonly type: 'delete';
  readonly key: string;
  readonly rangeEnd?: string | undefined;
}

export interface RangeOperation extends RangeRequest {
  readonly type: 'range';
}

/** @experimental */
export type TxnOperation = PutOperation | DeleteOperation | RangeOperation;

/** @experimental */
export interface TxnRequest {
  readonly compare: readonly (Compare | CompareValue)[];
  /** At most 128 operations. No key may be written twice. */
  readonly success: readonly TxnOperation[];
  readonly failure?: readonly TxnOperation[] | undefined;
}

/** @experimental */
export type OperationResponse =
  | { readonly type: 'put' }
  | { readonly type: 'delete'; readonly deleted: number; readonly previous: readonly KeyValue[] }
  | ({ readonly type: 'range' } & RangeResponse);

/** @experimental */
export interface TxnResponse {
  readonly succeeded: boolean;
  /** The revision after the transaction, which is also that of its writes. */
  readonly revision: Revision;
  readonly responses: readonly OperationResponse[];
}

/** @experimental */
export interface KeyValueWatchRequest {
  readonly key: string;
  readonly rangeEnd?: string | undefined;
  /** First revision to deliver, included. Left out: from now. */
  readonly startRevision?: Revision | undefined;
  /** Deliver the key-value before each change, if it still exists. */
  readonly previous?: boolean | undefined;
  /** Send `progress` at intervals while the watch is idle. */
  readonly progressNotify?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @experimental */
export interface KeyValueEvent {
  readonly type: 'put' | 'delete';
  /** For a delete: the key, `modRevision` of the deletion, and an empty value. */
  readonly kv: KeyValue;
  /** Undefined for a creation, and if the previous state was compacted. */
  readonly previous?: KeyValue | undefined;
}

/** @experimental */
export type KeyValueWatchMessage =
  | { readonly type: 'event'; readonly event: KeyValueEvent }
  /** Every event up to `revision` has been delivered. */
  | { readonly type: 'progress'; readonly revision: Revision };

/**
 * A running watch. Events come in revision order, each once, without gaps. All events of one revision are in the same batch.
 * Iterating throws `ListwatchError` COMPACTED (with the revision in the message) when the start of the watch was compacted. It
 * ends normally after `destroy` or abort.
 *
 * @experimental
 */
export interface KeyValueWatch extends AsyncIterable<readonly KeyValueWatchMessage[]> {
  /** The store's revision when the watch was registered. */
  readonly startedAt: Revision;
  /** Asks for a `progress` message as soon as everything up to the current revision was delivered. */
  requestProgress(): Promise<void>;
  destroy(): void;
}

/** @experimental */
export interface Lease {
  readonly id: bigint;
  /** The granted time; may be longer than requested. */
  readonly ttlSeconds: number;
}

/** @experimental */
export interface KeyValueStatus {
  readonly revision: Revision;
  readonly compactedRevision: Revision;
}

const LAST_CODE_POINT = 0x10ffff;

/** The `rangeEnd` that makes a range of all keys starting with `prefix`. */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix);
  while (points.length > 0) {
    const point = (points.pop() as string).codePointAt(0) as number;
    if (point === LAST_CODE_POINT) continue;
    // The code points from U+D800 to U+DFFF are surrogates, not characters.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return points.join('') + String.fromCodePoint(next);
  }
  return String.fromCodePoint(LAST_CODE_POINT);
}
