import { WireReader } from '../../meta/protobuf/wire/wire-reader.ts';
import {
  writeBigInt64,
  writeBool,
  writeByteString,
  writeInt32,
  writeInt64,
  writeLength,
  writeString,
  written,
} from '../../meta/protobuf/wire/wire-writer.ts';
import { isEmptyRange } from '../mvcc/contract/key-rules.ts';
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
  TxnResponse,
} from '../mvcc/contract/key-value-store.ts';

/** The tag of a field of numbers. */
const number = (field: number): number => field << 3;
/** The tag of a field of bytes, text or messages. */
const bytes = (field: number): number => (field << 3) | 2;

/*
 * The messages of etcd's API that `KeyValueStore` needs: the tags of the fields that are read or written. Messages are written from
 * their last field to their first, as `meta/protobuf/wire` needs it.
 * @see etcd api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto @ c34dc7e
 */
const HEADER_TAG = bytes(1);
const HEADER = { revision: number(3) };
const KEY_VALUE = {
  key: bytes(1),
  createRevision: number(2),
  modRevision: number(3),
  version: number(4),
  value: bytes(5),
  lease: number(6),
};
const EVENT = { type: number(1), kv: bytes(2), prevKv: bytes(3) };
const RANGE_REQUEST = {
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: number(3),
  revision: number(4),
  keysOnly: number(8),
  countOnly: number(9),
};
const RANGE_RESPONSE = { kvs: bytes(2), more: number(3), count: number(4) };
const PUT_REQUEST = { key: bytes(1), value: bytes(2), lease: number(3) };
const DELETE_REQUEST = { prevKv: number(3) };
const DELETE_RESPONSE = { deleted: number(2), prevKvs: bytes(3) };
/** Of `RequestOp` and `ResponseOp`. */
const OPERATION = { range: bytes(1), put: bytes(2), delete: bytes(3) };
const COMPARE = { result: number(1), target: number(2), key: bytes(3) };
const COMPARE_OPERANDS = {
  version: number(4),
  createRevision: number(5),
  modRevision: number(6),
  value: bytes(7),
  lease: number(8),
};
const TXN_REQUEST = { compare: bytes(1), success: bytes(2), failure: bytes(3) };
const TXN_RESPONSE = { succeeded: number(2), responses: bytes(3) };
const WATCH_CREATE_REQUEST = {
  startRevision: number(3),
  progressNotify: number(4),
  prevKv: number(6),
  fragment: number(8),
};
const WATCH_RESPONSE = {
  watchId: number(2),
  created: number(3),
  canceled: number(4),
  compactRevision: number(5),
  cancelReason: bytes(6),
  fragment: number(7),
  events: bytes(11),
};

const RESULTS = { '=': 0, '>': 1, '<': 2, '!=': 3 } as const;
const TARGETS = { version: 0, createRevision: 1, modRevision: 2, value: 3, lease: 4 } as const;
const DELETE_EVENT = 1;
/** A value that is not there: one object, so that deletions keep no bytes. */
const NO_BYTES = new Uint8Array(0);

/** A range without keys. In etcd an empty end means a single key, and a zero byte means no end, so it needs these bounds. */
const NOTHING = '\0\0';

/** The bounds in etcd's form, as the fields 1 and 2. An empty start key means the first key, which etcd writes as a zero byte. */
function writeBounds(key: string, rangeEnd: string | undefined): void {
  const isEmpty = rangeEnd !== undefined && isEmptyRange(key, rangeEnd);
  if (rangeEnd !== undefined) writeString(isEmpty ? NOTHING : rangeEnd, RANGE_REQUEST.rangeEnd);
  writeString(isEmpty ? NOTHING : key === '' ? '\0' : key, RANGE_REQUEST.key);
}

export function writeRange(request: RangeRequest): void {
  const { key, rangeEnd, limit, revision, keysOnly, countOnly } = request;
  if (countOnly === true) writeBool(true, RANGE_REQUEST.countOnly);
  if (keysOnly === true) writeBool(true, RANGE_REQUEST.keysOnly);
  if (revision !== undefined) writeBigInt64(revision, RANGE_REQUEST.revision);
  if (limit !== undefined) writeInt64(limit, RANGE_REQUEST.limit);
  writeBounds(key, rangeEnd);
}

export function writeTxn({ compare, success, failure = [] }: TxnRequest): void {
  writeOperations(failure, TXN_REQUEST.failure);
  writeOperations(success, TXN_REQUEST.success);
  for (let index = compare.length - 1; index >= 0; index -= 1) {
    const before = written();
    writeCompare(compare[index] as Compare | CompareValue);
    writeLength(before, TXN_REQUEST.compare);
  }
}

function writeCompare({ key, target, operator, operand }: Compare | CompareValue): void {
  const tag = COMPARE_OPERANDS[target];
  if (typeof operand === 'bigint') writeBigInt64(operand, tag);
  else writeByteString(operand, tag);
  writeString(key, COMPARE.key);
  writeInt32(TARGETS[target], COMPARE.target);
  writeInt32(RESULTS[operator], COMPARE.result);
}

function writeOperations(operations: readonly TxnOperation[], tag: number): void {
  for (let index = operations.length - 1; index >= 0; index -= 1) {
    const operation = operations[index] as TxnOperation;
    const before = written();
    writeOperation(operation);
    writeLength(before, OPERATION[operation.type]);
    writeLength(before, tag);
  }
}

function writeOperation(operation: TxnOperation): void {
  switch (operation.type) {
    case 'put': {
      const { key, value, lease = 0n } = operation;
      if (lease !== 0n) writeBigInt64(lease, PUT_REQUEST.lease);
      writeByteString(value, PUT_REQUEST.value);
      writeString(key, PUT_REQUEST.key);
      return;
    }
    case 'delete':
      writeBool(true, DELETE_REQUEST.prevKv);
      writeBounds(operation.key, operation.rangeEnd);
      return;
    case 'range':
      writeRange(operation);
  }
}

export interface WatchCreateRequest {
  readonly key: string;
  readonly rangeEnd?: string | undefined;
  readonly startRevision: Revision | undefined;
  readonly progressNotify: boolean;
  readonly prevKv: boolean;
}

/** Large responses are asked for in fragments. */
export function writeWatchCreate(request: WatchCreateRequest): void {
  const { key, rangeEnd, startRevision, progressNotify, prevKv } = request;
  writeBool(true, WATCH_CREATE_REQUEST.fragment);
  writeBool(prevKv, WATCH_CREATE_REQUEST.prevKv);
  writeBool(progressNotify, WATCH_CREATE_REQUEST.progressNotify);
  if (startRevision !== undefined) {
    writeBigInt64(startRevision, WATCH_CREATE_REQUEST.startRevision);
  }
  writeBounds(key, rangeEnd);
}

/** Reads the header of a response, a message in it: the revision. */
function readHeader(reader: WireReader): Revision {
  const end = reader.messageEnd();
  let revision = 0n;
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === HEADER.revision) revision = reader.bigint();
    else reader.skip(tag);
  }
  return revision;
}

function readKeyValue(reader: WireReader): KeyValue {
  const end = reader.messageEnd();
  let key = '';
  let value: Uint8Array = NO_BYTES;
  let createRevision = 0n;
  let modRevision = 0n;
  let version = 0n;
  let lease = 0n;
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    switch (tag) {
      case KEY_VALUE.key:
        key = reader.lossyString();
        break;
      case KEY_VALUE.createRevision:
        createRevision = reader.bigint();
        break;
      case KEY_VALUE.modRevision:
        modRevision = reader.bigint();
        break;
      case KEY_VALUE.version:
        version = reader.bigint();
        break;
      case KEY_VALUE.value:
        value = reader.bytes();
        break;
      case KEY_VALUE.lease:
        lease = reader.bigint();
        break;
      default:
        reader.skip(tag);
    }
  }
  return { key, value, createRevision, modRevision, version, lease };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A range that ends at `end`; of a range within a transaction, the transaction has the revision. */
function readRange(reader: WireReader, end: number): Writable<RangeResponse> {
  const items: KeyValue[] = [];
  const response: Writable<RangeResponse> = { revision: 0n, items, count: 0, more: false };
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === HEADER_TAG) response.revision = readHeader(reader);
    else if (tag === RANGE_RESPONSE.kvs) items.push(readKeyValue(reader));
    else if (tag === RANGE_RESPONSE.more) response.more = reader.bool();
    else if (tag === RANGE_RESPONSE.count) response.count = reader.int64();
    else reader.skip(tag);
  }
  return response;
}

export function readRangeResponse(message: Uint8Array): RangeResponse {
  return readRange(new WireReader(message), message.length);
}

export function readTxnResponse(message: Uint8Array): TxnResponse {
  const reader = new WireReader(message);
  const responses: OperationResponse[] = [];
  let revision = 0n;
  let succeeded = false;
  while (reader.isBefore(message.length)) {
    const tag = reader.uint32();
    if (tag === HEADER_TAG) revision = readHeader(reader);
    else if (tag === TXN_RESPONSE.succeeded) succeeded = reader.bool();
    else if (tag === TXN_RESPONSE.responses) responses.push(readOperation(reader));
    else reader.skip(tag);
  }
  for (const response of responses) {
    if (response.type === 'range') (response as Writable<RangeResponse>).revision = revision;
  }
  return { succeeded, revision, responses };
}

function readOperation(reader: WireReader): OperationResponse {
  const end = reader.messageEnd();
  let response: OperationResponse = { type: 'put' };
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === OPERATION.range) {
      response = { type: 'range', ...readRange(reader, reader.messageEnd()) };
    } else if (tag === OPERATION.delete) response = readDelete(reader);
    else reader.skip(tag);
  }
  return response;
}

function readDelete(reader: WireReader): OperationResponse {
  const end = reader.messageEnd();
  const previous: KeyValue[] = [];
  let deleted = 0;
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === DELETE_RESPONSE.deleted) deleted = reader.int64();
    else if (tag === DELETE_RESPONSE.prevKvs) previous.push(readKeyValue(reader));
    else reader.skip(tag);
  }
  return { type: 'delete', deleted, previous };
}

export interface WatchResponse {
  readonly revision: Revision;
  readonly watchId: bigint;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: Revision;
  readonly cancelReason: string;
  readonly fragment: boolean;
  readonly events: readonly KeyValueEvent[];
}

export function readWatchResponse(message: Uint8Array): WatchResponse {
  const reader = new WireReader(message);
  const events: KeyValueEvent[] = [];
  const response: Writable<WatchResponse> = {
    revision: 0n,
    watchId: 0n,
    created: false,
    canceled: false,
    compactRevision: 0n,
    cancelReason: '',
    fragment: false,
    events,
  };
  while (reader.isBefore(message.length)) {
    const tag = reader.uint32();
    switch (tag) {
      case HEADER_TAG:
        response.revision = readHeader(reader);
        break;
      case WATCH_RESPONSE.watchId:
        response.watchId = reader.bigint();
        break;
      case WATCH_RESPONSE.created:
        response.created = reader.bool();
        break;
      case WATCH_RESPONSE.canceled:
        response.canceled = reader.bool();
        break;
      case WATCH_RESPONSE.compactRevision:
        response.compactRevision = reader.bigint();
        break;
      case WATCH_RESPONSE.cancelReason:
        response.cancelReason = reader.lossyString();
        break;
      case WATCH_RESPONSE.fragment:
        response.fragment = reader.bool();
        break;
      case WATCH_RESPONSE.events:
        events.push(readEvent(reader));
        break;
      default:
        reader.skip(tag);
    }
  }
  return response;
}

function readEvent(reader: WireReader): KeyValueEvent {
  const end = reader.messageEnd();
  let type: KeyValueEvent['type'] = 'put';
  let kv: KeyValue | undefined;
  let previous: KeyValue | undefined;
  while (reader.isBefore(end)) {
    const tag = reader.uint32();
    if (tag === EVENT.type) type = reader.uint32() === DELETE_EVENT ? 'delete' : 'put';
    else if (tag === EVENT.kv) kv = readKeyValue(reader);
    else if (tag === EVENT.prevKv) previous = readKeyValue(reader);
    else reader.skip(tag);
  }
  if (kv === undefined) throw new RangeError('an event has no key');
  return previous === undefined ? { type, kv } : { type, kv, previous };
}
