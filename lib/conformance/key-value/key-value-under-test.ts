import assert from 'node:assert/strict';
import { isListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  prefixEnd,
  type Compare,
  type CompareValue,
  type DeleteOperation,
  type KeyValue,
  type KeyValueStatus,
  type KeyValueStore,
  type KeyValueWatchRequest,
  type TxnOperation,
  type PutOperation,
  type RangeRequest,
  type RangeResponse,
  type Revision,
  type TxnResponse,
} from '../../server/mvcc/contract/key-value-store.ts';
import { KeyValueWatchProbe } from './key-value-watch-probe.ts';

/**
 * A store to be tested, created for each case. It must have no keys; its first revision does not matter.
 *
 * @experimental
 */
export interface KeyValueHarness {
  readonly store: KeyValueStore;
  readonly runtime: Runtime;
  /** Runs a case; a harness in virtual time advances its clock meanwhile. */
  run(work: () => Promise<void>): Promise<void>;
  /** Stops the store. */
  close(): Promise<void>;
}

/** One fact about a key-value store. Rejects when it does not hold. */
export interface KeyValueCase {
  readonly title: string;
  readonly check: (under: KeyValueUnderTest) => Promise<void>;
}

/** Sorts after every key of the suite, and after nearly all other keys. */
export const LAST = '\u{10ffff}';

/**
 * A store with the calls that most cases make. Revisions are relative to the revision of the store at the start of the case,
 * because a real cluster is not empty at 1: the first write of a case is 1.
 */
export class KeyValueUnderTest {
  readonly harness: KeyValueHarness;
  readonly store: KeyValueStore;
  readonly runtime: Runtime;
  /** The revision at the start of the case. */
  readonly base: Revision;

  constructor(harness: KeyValueHarness, base: Revision) {
    this.harness = harness;
    this.store = harness.store;
    this.runtime = harness.runtime;
    this.base = base;
  }

  /** The revision of the given write of the case. */
  at(step: number): Revision {
    return this.base + BigInt(step);
  }

  /** The number of writes of the case up to a revision. */
  step(revision: Revision): number {
    return Number(revision - this.base);
  }

  async put(key: string, value: string | Uint8Array = '', lease?: bigint): Promise<number> {
    return this.step((await this.txn([put(key, value, lease)])).revision);
  }

  async delete(key: string, rangeEnd?: string): Promise<number> {
    return this.step((await this.txn([{ type: 'delete', key, rangeEnd }])).revision);
  }

  async txn(
    success: readonly TxnOperation[],
    failure?: readonly TxnOperation[],
    compare: readonly (Compare | CompareValue)[] = [],
  ): Promise<TxnResponse> {
    return await this.store.txn({ compare, success, failure });
  }

  async get(key: string): Promise<KeyValue | undefined> {
    return (await this.store.range({ key })).items[0];
  }

  async range(request: Partial<RangeRequest> = {}): Promise<RangeResponse> {
    return await this.store.range({ key: '', rangeEnd: LAST, ...request });
  }

  /** All keys with a prefix, or all keys, as `key=value@step`. */
  async list(prefix: string = '', step?: number): Promise<string[]> {
    const rangeEnd = prefixEnd(prefix);
    const revision = step === undefined ? undefined : this.at(step);
    const { items } = await this.store.range({ key: prefix, rangeEnd, revision });
    return items.map((kv) => this.describe(kv));
  }

  async watch(request: Partial<KeyValueWatchRequest> = {}): Promise<KeyValueWatchProbe> {
    const watch = await this.store.watch({ key: '', rangeEnd: LAST, ...request });
    return new KeyValueWatchProbe(watch, this.runtime, this.base);
  }

  /** The revisions, relative to the start of the case. */
  async status(): Promise<{ revision: number; compactedRevision: number }> {
    const { revision, compactedRevision }: KeyValueStatus = await this.store.status();
    return { revision: this.step(revision), compactedRevision: this.step(compactedRevision) };
  }

  describe(kv: KeyValue): string {
    return `${kv.key}=${textOf(kv.value)}@${this.step(kv.modRevision)}`;
  }
}

export function put(key: string, value: string | Uint8Array = '', lease?: bigint): PutOperation {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return { type: 'put', key, value: bytes, lease };
}

export function remove(key: string, rangeEnd?: string): DeleteOperation {
  return { type: 'delete', key, rangeEnd };
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Expects a refusal with this code, and returns its message. */
export async function refusal(work: Promise<unknown>, code: ErrorCode): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof Error, `it should have been refused with ${code}`);
  assert(isListwatchError(error, code), `expected ${code}, got ${String(error)}`);
  return error.message;
}
