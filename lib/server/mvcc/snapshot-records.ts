import type { KeyValue, KeyValueEvent, Revision } from './contract/key-value-store.ts';
import type { LeaseRecord } from './lease-table.ts';
import type { FrameWriter } from './snapshot-frames.ts';

/** The first record of a snapshot. */
export interface SnapshotHead {
  /** The revision of the restored state. */
  readonly revision: Revision;
  /** The revision of the key-values in the snapshot; its events lead from there to `revision`. */
  readonly base: Revision;
  readonly compactedRevision: Revision;
}

/** The last record of a snapshot; its counts show that no record is missing. */
export interface SnapshotCounts {
  keyValues: number;
  events: number;
  leases: number;
}

const HEAD_BYTES = 24;
const COUNTS_BYTES = 24;
const LEASE_BYTES = 24;
const KEY_VALUE_BYTES = 40;
const EVENT_BYTES = 25;
const PUT = 0;
const DELETE = 1;
const TWO_TO_32 = 2 ** 32;
/** Shared bigints for versions and leases, most of which are small. */
const SMALL: readonly bigint[] = Array.from({ length: 256 }, (_, value) => BigInt(value));
const NO_BYTES = new Uint8Array(0);

export function writeHead(frame: FrameWriter, head: SnapshotHead): void {
  const { bytes, offset } = frame.add(HEAD_BYTES);
  bytes.writeBigUInt64LE(head.revision, offset);
  bytes.writeBigUInt64LE(head.base, offset + 8);
  bytes.writeBigUInt64LE(head.compactedRevision, offset + 16);
}

/** Returns undefined when the bytes are not a head. */
export function readHead(bytes: Buffer): SnapshotHead | undefined {
  if (bytes.byteLength !== HEAD_BYTES) return undefined;
  return {
    revision: bytes.readBigUInt64LE(0),
    base: bytes.readBigUInt64LE(8),
    compactedRevision: bytes.readBigUInt64LE(16),
  };
}

export function writeCounts(frame: FrameWriter, counts: SnapshotCounts): void {
  const { bytes, offset } = frame.add(COUNTS_BYTES);
  bytes.writeDoubleLE(counts.keyValues, offset);
  bytes.writeDoubleLE(counts.events, offset + 8);
  bytes.writeDoubleLE(counts.leases, offset + 16);
}

/** Returns undefined when the bytes are not a counts record. */
export function readCounts(bytes: Buffer): SnapshotCounts | undefined {
  if (bytes.byteLength !== COUNTS_BYTES) return undefined;
  return {
    keyValues: bytes.readDoubleLE(0),
    events: bytes.readDoubleLE(8),
    leases: bytes.readDoubleLE(16),
  };
}

export function writeLease(frame: FrameWriter, lease: LeaseRecord): void {
  const { bytes, offset } = frame.add(LEASE_BYTES);
  bytes.writeBigUInt64LE(lease.id, offset);
  bytes.writeDoubleLE(lease.ttlSeconds, offset + 8);
  bytes.writeDoubleLE(lease.remainingMs, offset + 16);
}

/** Every record of a frame; throws a RangeError if the lengths are wrong. */
export function* readLeases(bytes: Buffer): Generator<LeaseRecord> {
  for (let offset = 0; offset < bytes.byteLength; offset += LEASE_BYTES) {
    yield {
      id: bytes.readBigUInt64LE(offset),
      ttlSeconds: bytes.readDoubleLE(offset + 8),
      remainingMs: bytes.readDoubleLE(offset + 16),
    };
  }
}

/** Upper bound of the bytes of a record. */
export function keyValueSize({ key, value }: KeyValue): number {
  return KEY_VALUE_BYTES + Buffer.byteLength(key) + value.byteLength;
}

export function writeKeyValue(frame: FrameWriter, kv: KeyValue, size: number): void {
  const { bytes, offset } = frame.add(size);
  writeNumber(bytes, kv.createRevision, offset);
  writeNumber(bytes, kv.modRevision, offset + 8);
  writeNumber(bytes, kv.version, offset + 16);
  writeNumber(bytes, kv.lease, offset + 24);
  writeTexts(bytes, kv.key, kv.value, offset + 32);
}

/** Calls `take` for every record of a frame; throws a RangeError if the lengths are wrong. */
export function readKeyValues(bytes: Buffer, take: (kv: KeyValue) => void): number {
  let count = 0;
  for (let offset = 0; offset < bytes.byteLength; count += 1) {
    const createRevision = readNumber(bytes, offset);
    const changed = readNumber(bytes, offset + 8);
    const { key, value, end } = readTexts(bytes, offset + 32);
    take({
      key,
      value,
      createRevision,
      modRevision: changed === createRevision ? createRevision : changed,
      version: readNumber(bytes, offset + 16),
      lease: readNumber(bytes, offset + 24),
    });
    offset = end;
  }
  return count;
}

export function eventSize({ kv }: KeyValueEvent): number {
  return EVENT_BYTES + Buffer.byteLength(kv.key) + kv.value.byteLength;
}

export function writeEvent(frame: FrameWriter, { type, kv }: KeyValueEvent, size: number): void {
  const { bytes, offset } = frame.add(size);
  bytes.writeUInt8(type === 'put' ? PUT : DELETE, offset);
  writeNumber(bytes, kv.modRevision, offset + 1);
  writeNumber(bytes, kv.lease, offset + 9);
  writeTexts(bytes, kv.key, kv.value, offset + 17);
}

/** An event without the parts that can be derived: the rest of its key-value, and the one before. */
export interface EventRecord {
  readonly type: KeyValueEvent['type'];
  readonly revision: Revision;
  readonly key: string;
  readonly value: Uint8Array;
  readonly lease: bigint;
}

/** Calls `take` for every record of a frame; throws a RangeError if the lengths are wrong. */
export function readEvents(bytes: Buffer, take: (event: EventRecord) => void): number {
  let count = 0;
  for (let offset = 0; offset < bytes.byteLength; count += 1) {
    const { key, value, end } = readTexts(bytes, offset + 17);
    take({
      type: bytes.readUInt8(offset) === PUT ? 'put' : 'delete',
      revision: readNumber(bytes, offset + 1),
      key,
      value,
      lease: readNumber(bytes, offset + 9),
    });
    offset = end;
  }
  return count;
}

/** Writes the lengths of key and value, then both. */
function writeTexts(bytes: Buffer, key: string, value: Uint8Array, offset: number): void {
  const keyBytes = bytes.write(key, offset + 8);
  bytes.writeUInt32LE(keyBytes, offset);
  bytes.writeUInt32LE(value.byteLength, offset + 4);
  bytes.set(value, offset + 8 + keyBytes);
}

function readTexts(
  bytes: Buffer,
  offset: number,
): { readonly key: string; readonly value: Uint8Array; readonly end: number } {
  const start = offset + 8;
  const middle = start + bytes.readUInt32LE(offset);
  const end = middle + bytes.readUInt32LE(offset + 4);
  if (end > bytes.byteLength) throw new RangeError('a record is longer than its frame');
  // A copy is needed: a value that is kept must not retain the frame that it was read from.
  const value = middle === end ? NO_BYTES : Buffer.from(bytes.subarray(middle, end));
  return { key: bytes.toString('utf8', start, middle), value, end };
}

function writeNumber(bytes: Buffer, value: bigint, offset: number): void {
  bytes.writeBigUInt64LE(value, offset);
}

function readNumber(bytes: Buffer, offset: number): bigint {
  const low = bytes.readUInt32LE(offset);
  const high = bytes.readUInt32LE(offset + 4);
  if (high === 0 && low < SMALL.length) return SMALL[low] as bigint;
  return high < 2 ** 21 ? BigInt(high * TWO_TO_32 + low) : bytes.readBigUInt64LE(offset);
}
