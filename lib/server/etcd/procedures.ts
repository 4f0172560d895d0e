import { WireReader } from '../../meta/protobuf/wire/wire-reader.ts';
import {
  writeBigInt64,
  writeInt64,
  writeLength,
  writeMessage,
  writeNothing,
  writeString,
  written,
} from '../../meta/protobuf/wire/wire-writer.ts';
import type {
  Lease,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../mvcc/contract/key-value-store.ts';
import {
  readRangeResponse,
  readTxnResponse,
  readWatchResponse,
  writeRange,
  writeTxn,
  writeWatchCreate,
  type WatchCreateRequest,
  type WatchResponse,
} from './messages.ts';

/** One remote procedure: its path, and the encoding of its messages. */
export interface Procedure<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

function procedure<Request, Response>(
  name: string,
  write: (request: Request) => void,
  deserialize: (bytes: Buffer) => Response,
): Procedure<Request, Response> {
  return {
    path: `/etcdserverpb.${name}`,
    serialize: (request) =>
      writeMessage(() => {
        write(request);
      }),
    deserialize,
  };
}

export const RANGE: Procedure<RangeRequest, RangeResponse> = procedure(
  'KV/Range',
  writeRange,
  readRangeResponse,
);

export const TXN: Procedure<TxnRequest, TxnResponse> = procedure(
  'KV/Txn',
  writeTxn,
  readTxnResponse,
);

/** Its response has nothing but a header. */
export const COMPACT: Procedure<Revision, undefined> = procedure(
  'KV/Compact',
  (revision) => {
    writeBigInt64(revision, 0x08);
  },
  () => undefined,
);

export const WATCH: Procedure<WatchCreateRequest | 'progress', WatchResponse> = procedure(
  'Watch/Watch',
  (request) => {
    if (request === 'progress') {
      writeNothing(0x1a);
      return;
    }
    const before = written();
    writeWatchCreate(request);
    writeLength(before, 0x0a);
  },
  readWatchResponse,
);

/** The time to live in seconds. */
export const LEASE_GRANT: Procedure<number, Lease> = procedure(
  'Lease/LeaseGrant',
  (ttlSeconds) => {
    writeInt64(ttlSeconds, 0x08);
  },
  (message) => {
    const reader = new WireReader(message);
    let id = 0n;
    let ttlSeconds = 0;
    while (reader.isBefore(message.length)) {
      const tag = reader.uint32();
      if (tag === 0x10) id = reader.bigint();
      else if (tag === 0x18) ttlSeconds = reader.int64();
      else reader.skip(tag);
    }
    return { id, ttlSeconds };
  },
);

/** The lease by its id. Its response has nothing but a header. */
export const LEASE_REVOKE: Procedure<bigint, undefined> = procedure(
  'Lease/LeaseRevoke',
  (id) => {
    writeBigInt64(id, 0x08);
  },
  () => undefined,
);

/** Responds with the version of the member. */
export const STATUS: Procedure<undefined, string> = procedure(
  'Maintenance/Status',
  () => {},
  (message) => readText(message, 0x12),
);

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Responds with a token. */
export const AUTHENTICATE: Procedure<Login, string> = procedure(
  'Auth/Authenticate',
  ({ username, password }) => {
    writeString(password, 0x12);
    writeString(username, 0x0a);
  },
  (message) => readText(message, 0x12),
);

/** The text of one field of a message. */
function readText(message: Uint8Array, wanted: number): string {
  const reader = new WireReader(message);
  let text = '';
  while (reader.isBefore(message.length)) {
    const tag = reader.uint32();
    if (tag === wanted) text = reader.lossyString();
    else reader.skip(tag);
  }
  return text;
}
