import { asBuffer } from '../../kernel/data/as-buffer.ts';
import {
  type Compare,
  type CompareValue,
  type KeyValue,
  type Operation,
  type OperationResponse,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
} from '../mvcc/contract/key-value-store.ts';
import { isEmptyRange } from '../mvcc/contract/key-rules.ts';
import {
  fromLong,
  toLong,
  type WireKeyValue,
  type WireRangeRequest,
  type WireRangeResponse,
  type WireResponseOp,
} from './wire.ts';

const NO_BYTES = new Uint8Array(0);
const RESULTS = { '=': 0, '>': 1, '<': 2, '!=': 3 } as const;
const TARGETS = { version: 0, createRevision: 1, modRevision: 2, value: 3, lease: 4 } as const;

export function keyBytes(key: string): Buffer {
  return Buffer.from(key, 'utf8');
}

/** An empty range. In etcd an empty end means a single key, and a zero byte means no end, so an empty range needs these bounds. */
const NOTHING = { key: Buffer.of(0, 0), rangeEnd: Buffer.of(0, 0) };

/** The bounds in etcd's form. An empty start key means the first key, which etcd writes as a zero byte. */
export function rangeOf(
  key: string,
  rangeEnd: string | undefined,
): { key: Buffer; rangeEnd?: Buffer } {
  if (rangeEnd === undefined) return { key: keyBytes(key) };
  if (isEmptyRange(key, rangeEnd)) return NOTHING;
  return { key: key === '' ? Buffer.of(0) : keyBytes(key), rangeEnd: keyBytes(rangeEnd) };
}

export function toWireRange(request: RangeRequest): WireRangeRequest {
  const { limit, revision, keysOnly, countOnly } = request;
  return {
    ...rangeOf(request.key, request.rangeEnd),
    ...(limit === undefined ? {} : { limit }),
    ...(revision === undefined ? {} : { revision: toLong(revision) }),
    ...(keysOnly === undefined ? {} : { keysOnly }),
    ...(countOnly === undefined ? {} : { countOnly }),
  };
}

export function toWireTxn({ compare, success, failure = [] }: TxnRequest): object {
  return {
    compare: compare.map(toWireCompare),
    success: success.map(toWireOperation),
    failure: failure.map(toWireOperation),
  };
}

function toWireCompare(compare: Compare | CompareValue): object {
  const { key, target, operator, operand } = compare;
  return {
    key: keyBytes(key),
    target: TARGETS[target],
    result: RESULTS[operator],
    [target]: typeof operand === 'bigint' ? toLong(operand) : operand,
  };
}

function toWireOperation(operation: Operation): object {
  switch (operation.type) {
    case 'put': {
      const { key, value, lease = 0n } = operation;
      return { requestPut: { key: keyBytes(key), value, lease: toLong(lease) } };
    }
    case 'delete':
      return {
        requestDeleteRange: { ...rangeOf(operation.key, operation.rangeEnd), prevKv: true },
      };
    case 'range':
      return { requestRange: toWireRange(operation) };
  }
}

export function fromWireKeyValue(kv: WireKeyValue): KeyValue {
  return {
    key: textOf(kv.key),
    // protobufjs returns an empty list for an absent bytes field.
    value: kv.value.length === 0 ? NO_BYTES : kv.value,
    createRevision: fromLong(kv.createRevision),
    modRevision: fromLong(kv.modRevision),
    version: fromLong(kv.version),
    lease: fromLong(kv.lease),
  };
}

/** `revision` is that of the whole response, because a range inside a transaction has none of its own. */
export function fromWireRange(response: WireRangeResponse, revision: bigint): RangeResponse {
  return {
    revision,
    items: response.kvs.map(fromWireKeyValue),
    count: Number(fromLong(response.count)),
    more: response.more,
  };
}

export function fromWireOperation(response: WireResponseOp, revision: bigint): OperationResponse {
  const { responseRange, responseDeleteRange } = response;
  if (responseRange !== null) return { type: 'range', ...fromWireRange(responseRange, revision) };
  if (responseDeleteRange !== null) {
    return {
      type: 'delete',
      deleted: Number(fromLong(responseDeleteRange.deleted)),
      previous: responseDeleteRange.prevKvs.map(fromWireKeyValue),
    };
  }
  return { type: 'put' };
}

function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('utf8');
}
