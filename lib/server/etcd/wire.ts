import { asBuffer } from '../../kernel/data/as-buffer.ts';
import type Protobuf from 'protobufjs/light.js';
import { loadPeer } from '../../kernel/options/optional-peer.ts';

/**
 * The messages of etcd's API that `KeyValueStore` needs, as field number and type; `*` marks a repeated field.
 * Fields that are not read are left out. @see etcd api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto @ c34dc7e
 */
const MESSAGES: Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>> = {
  KeyValue: {
    key: [1, 'bytes'],
    createRevision: [2, 'int64'],
    modRevision: [3, 'int64'],
    version: [4, 'int64'],
    value: [5, 'bytes'],
    lease: [6, 'int64'],
  },
  Event: { type: [1, 'int32'], kv: [2, 'KeyValue'], prevKv: [3, 'KeyValue'] },
  ResponseHeader: { clusterId: [1, 'uint64'], memberId: [2, 'uint64'], revision: [3, 'int64'] },
  RangeRequest: {
    key: [1, 'bytes'],
    rangeEnd: [2, 'bytes'],
    limit: [3, 'int64'],
    revision: [4, 'int64'],
    keysOnly: [8, 'bool'],
    countOnly: [9, 'bool'],
  },
  RangeResponse: {
    header: [1, 'ResponseHeader'],
    kvs: [2, '*KeyValue'],
    more: [3, 'bool'],
    count: [4, 'int64'],
  },
  PutRequest: { key: [1, 'bytes'], value: [2, 'bytes'], lease: [3, 'int64'] },
  PutResponse: { header: [1, 'ResponseHeader'] },
  DeleteRangeRequest: { key: [1, 'bytes'], rangeEnd: [2, 'bytes'], prevKv: [3, 'bool'] },
  DeleteRangeResponse: {
    header: [1, 'ResponseHeader'],
    deleted: [2, 'int64'],
    prevKvs: [3, '*KeyValue'],
  },
  RequestOp: {
    requestRange: [1, 'RangeRequest'],
    requestPut: [2, 'PutRequest'],
    requestDeleteRange: [3, 'DeleteRangeRequest'],
  },
  ResponseOp: {
    responseRange: [1, 'RangeResponse'],
    responsePut: [2, 'PutResponse'],
    responseDeleteRange: [3, 'DeleteRangeResponse'],
  },
  Compare: {
    result: [1, 'int32'],
    target: [2, 'int32'],
    key: [3, 'bytes'],
    version: [4, 'int64'],
    createRevision: [5, 'int64'],
    modRevision: [6, 'int64'],
    value: [7, 'bytes'],
    lease: [8, 'int64'],
  },
  TxnRequest: { compare: [1, '*Compare'], success: [2, '*RequestOp'], failure: [3, '*RequestOp'] },
  TxnResponse: {
    header: [1, 'ResponseHeader'],
    succeeded: [2, 'bool'],
    responses: [3, '*ResponseOp'],
  },
  CompactionRequest: { revision: [1, 'int64'] },
  CompactionResponse: { header: [1, 'ResponseHeader'] },
  WatchCreateRequest: {
    key: [1, 'bytes'],
    rangeEnd: [2, 'bytes'],
    startRevision: [3, 'int64'],
    progressNotify: [4, 'bool'],
    prevKv: [6, 'bool'],
    fragment: [8, 'bool'],
  },
  WatchProgressRequest: {},
  WatchRequest: {
    createRequest: [1, 'WatchCreateRequest'],
    progressRequest: [3, 'WatchProgressRequest'],
  },
  WatchResponse: {
    header: [1, 'ResponseHeader'],
    watchId: [2, 'int64'],
    created: [3, 'bool'],
    canceled: [4, 'bool'],
    compactRevision: [5, 'int64'],
    cancelReason: [6, 'string'],
    fragment: [7, 'bool'],
    events: [11, '*Event'],
  },
  LeaseGrantRequest: { TTL: [1, 'int64'], ID: [2, 'int64'] },
  LeaseGrantResponse: { header: [1, 'ResponseHeader'], ID: [2, 'int64'], TTL: [3, 'int64'] },
  LeaseRevokeRequest: { ID: [1, 'int64'] },
  LeaseRevokeResponse: { header: [1, 'ResponseHeader'] },
  StatusRequest: {},
  StatusResponse: { header: [1, 'ResponseHeader'], version: [2, 'string'], leader: [4, 'uint64'] },
  AuthenticateRequest: { name: [1, 'string'], password: [2, 'string'] },
  AuthenticateResponse: { header: [1, 'ResponseHeader'], token: [2, 'string'] },
};

let root: Protobuf.Root | undefined;

function protobuf(): typeof Protobuf {
  return loadPeer('protobufjs', 'protobufjs/light.js', 'EtcdKeyValueStore') as typeof Protobuf;
}

function messageType(name: string): Protobuf.Type {
  root ??= protobuf().Root.fromJSON({
    nested: Object.fromEntries(
      Object.entries(MESSAGES).map(([message, fields]) => [message, { fields: fieldsOf(fields) }]),
    ),
  });
  return root.lookupType(name);
}

function fieldsOf(
  fields: Readonly<Record<string, readonly [number, string]>>,
): Record<string, { id: number; type: string; rule?: string }> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, [id, type]]) => [
      name,
      type.startsWith('*') ? { id, type: type.slice(1), rule: 'repeated' } : { id, type },
    ]),
  );
}

/** A 64-bit integer in the form of protobufjs. */
export interface Long {
  readonly low: number;
  readonly high: number;
  readonly unsigned: boolean;
}

export interface WireKeyValue {
  readonly key: Uint8Array;
  readonly createRevision: Long;
  readonly modRevision: Long;
  readonly version: Long;
  readonly value: Uint8Array;
  readonly lease: Long;
}

export interface WireHeader {
  readonly revision: Long;
}

export interface WireRangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd?: Uint8Array | undefined;
  readonly limit?: number | undefined;
  readonly revision?: Long | undefined;
  readonly keysOnly?: boolean | undefined;
  readonly countOnly?: boolean | undefined;
}

export interface WireRangeResponse {
  readonly header: WireHeader | null;
  readonly kvs: readonly WireKeyValue[];
  readonly more: boolean;
  readonly count: Long;
}

export interface WireEvent {
  /** 0 put, 1 delete. */
  readonly type: number;
  readonly kv: WireKeyValue;
  readonly prevKv: WireKeyValue | null;
}

export interface WireWatchResponse {
  readonly header: WireHeader;
  readonly watchId: Long;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: Long;
  readonly cancelReason: string;
  readonly fragment: boolean;
  readonly events: readonly WireEvent[];
}

export interface WireResponseOp {
  readonly responseRange: WireRangeResponse | null;
  readonly responsePut: object | null;
  readonly responseDeleteRange: {
    readonly deleted: Long;
    readonly prevKvs: readonly WireKeyValue[];
  } | null;
}

export interface WireTxnResponse {
  readonly header: WireHeader;
  readonly succeeded: boolean;
  readonly responses: readonly WireResponseOp[];
}

/** One remote procedure: its path, and the encoding of its messages. */
export interface Procedure<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

function procedure<Request extends object, Response>(
  service: string,
  method: string,
  request: string,
  response: string,
): Procedure<Request, Response> {
  // Looked up at the first call, because protobufjs is loaded only when it is needed.
  let requestType: Protobuf.Type | undefined;
  let responseType: Protobuf.Type | undefined;
  return {
    path: `/etcdserverpb.${service}/${method}`,
    serialize: (message) => {
      requestType ??= messageType(request);
      const bytes = requestType.encode(message).finish();
      return asBuffer(bytes);
    },
    deserialize: (bytes) =>
      (responseType ??= messageType(response)).decode(bytes) as unknown as Response,
  };
}

export const RANGE: Procedure<WireRangeRequest, WireRangeResponse & { header: WireHeader }> =
  procedure('KV', 'Range', 'RangeRequest', 'RangeResponse');
export const TXN: Procedure<object, WireTxnResponse> = procedure(
  'KV',
  'Txn',
  'TxnRequest',
  'TxnResponse',
);
export const COMPACT: Procedure<{ revision: Long }, object> = procedure(
  'KV',
  'Compact',
  'CompactionRequest',
  'CompactionResponse',
);
export const WATCH: Procedure<object, WireWatchResponse> = procedure(
  'Watch',
  'Watch',
  'WatchRequest',
  'WatchResponse',
);
export const LEASE_GRANT: Procedure<{ TTL: number }, { ID: Long; TTL: Long }> = procedure(
  'Lease',
  'LeaseGrant',
  'LeaseGrantRequest',
  'LeaseGrantResponse',
);
export const LEASE_REVOKE: Procedure<{ ID: Long }, object> = procedure(
  'Lease',
  'LeaseRevoke',
  'LeaseRevokeRequest',
  'LeaseRevokeResponse',
);
export const STATUS: Procedure<object, { header: WireHeader; version: string }> = procedure(
  'Maintenance',
  'Status',
  'StatusRequest',
  'StatusResponse',
);
export const AUTHENTICATE: Procedure<{ name: string; password: string }, { token: string }> =
  procedure('Auth', 'Authenticate', 'AuthenticateRequest', 'AuthenticateResponse');

const HIGH = 32n;

export function toLong(value: bigint): Long {
  return {
    low: Number(BigInt.asIntN(32, value)),
    high: Number(BigInt.asIntN(32, value >> HIGH)),
    unsigned: false,
  };
}

export function fromLong({ low, high }: Long): bigint {
  // Most revisions fit into 53 bits, and a bigint is made several times faster from one number than from two halves.
  return high >= 0 && high < 0x200000
    ? BigInt(high * 0x1_0000_0000 + (low >>> 0))
    : BigInt.asIntN(64, (BigInt(high) << HIGH) | BigInt(low >>> 0));
}
