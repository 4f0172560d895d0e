import { expect } from 'chai';
import protobuf from 'protobufjs';
import {
  AUTHENTICATE,
  COMPACT,
  LEASE_GRANT,
  LEASE_REVOKE,
  RANGE,
  STATUS,
  TXN,
  WATCH,
} from '../../../lib/server/etcd/procedures.ts';

/** The messages as etcd's rpc.proto and kv.proto have them, read and written by another implementation. */
const { root } = protobuf.parse(`syntax = "proto3";
  message Header { uint64 cluster_id = 1; uint64 member_id = 2; int64 revision = 3; uint64 raft_term = 4; }
  message KeyValue { bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; int64 version = 4; bytes value = 5; int64 lease = 6; }
  message Event { int32 type = 1; KeyValue kv = 2; KeyValue prev_kv = 3; }
  message RangeRequest { bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4; bool keys_only = 8; bool count_only = 9; }
  message RangeResponse { Header header = 1; repeated KeyValue kvs = 2; bool more = 3; int64 count = 4; }
  message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; }
  message PutResponse { Header header = 1; }
  message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; bool prev_kv = 3; }
  message DeleteRangeResponse { Header header = 1; int64 deleted = 2; repeated KeyValue prev_kvs = 3; }
  message RequestOp { oneof request { RangeRequest request_range = 1; PutRequest request_put = 2; DeleteRangeRequest request_delete_range = 3; } }
  message ResponseOp { oneof response { RangeResponse response_range = 1; PutResponse response_put = 2; DeleteRangeResponse response_delete_range = 3; } }
  message Compare { int32 result = 1; int32 target = 2; bytes key = 3;
    oneof target_union { int64 version = 4; int64 create_revision = 5; int64 mod_revision = 6; bytes value = 7; int64 lease = 8; } }
  message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
  message TxnResponse { Header header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }
  message CompactionRequest { int64 revision = 1; bool physical = 2; }
  message WatchCreateRequest { bytes key = 1; bytes range_end = 2; int64 start_revision = 3; bool progress_notify = 4; bool prev_kv = 6; bool fragment = 8; }
  message WatchProgressRequest {}
  message WatchRequest { oneof request_union { WatchCreateRequest create_request = 1; WatchProgressRequest progress_request = 3; } }
  message WatchResponse { Header header = 1; int64 watch_id = 2; bool created = 3; bool canceled = 4; int64 compact_revision = 5;
    string cancel_reason = 6; bool fragment = 7; repeated Event events = 11; }
  message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
  message LeaseGrantResponse { Header header = 1; int64 ID = 2; int64 TTL = 3; string error = 4; }
  message LeaseRevokeRequest { int64 ID = 1; }
  message StatusResponse { Header header = 1; string version = 2; int64 dbSize = 3; uint64 leader = 4; }
  message AuthenticateRequest { string name = 1; string password = 2; }
  message AuthenticateResponse { Header header = 1; string token = 2; }
`);

/** The content of a message, with texts for bytes and long numbers. */
function read(type: string, message: Uint8Array): object {
  const found = root.lookupType(type);
  return texts(found.toObject(found.decode(message), { longs: String })) as object;
}

function texts(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(texts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, texts(one)]));
}

function write(type: string, message: object): Buffer {
  const found = root.lookupType(type);
  return Buffer.from(found.encode(found.fromObject(message)).finish());
}

const bytes = (text: string): Buffer => Buffer.from(text);
const LARGE = 7_587_890_123_456_789_012n;
const header = { clusterId: '18446744073709551615', revision: '9007199254740993', raftTerm: 7 };
const revision = 9_007_199_254_740_993n;

const POD = {
  key: bytes('/pods/ä'),
  value: bytes('{}'),
  createRevision: '4',
  modRevision: '300',
  version: '2',
  lease: String(LARGE),
};
const READ_POD = {
  key: '/pods/ä',
  value: bytes('{}'),
  createRevision: 4n,
  modRevision: 300n,
  version: 2n,
  lease: LARGE,
};

describe("etcd's messages", () => {
  it('carry all that a range asks for', () => {
    const request = RANGE.serialize({
      key: 'ä'.repeat(60),
      rangeEnd: 'ö',
      limit: 10_000,
      revision: LARGE,
      keysOnly: true,
      countOnly: true,
    });
    expect(read('RangeRequest', request)).to.deep.equal({
      key: 'ä'.repeat(60),
      rangeEnd: 'ö',
      limit: '10000',
      revision: String(LARGE),
      keysOnly: true,
      countOnly: true,
    });
  });

  it("write the first key, and a range without keys, as etcd's bounds", () => {
    const bounds = (key: string, rangeEnd: string): object =>
      read('RangeRequest', RANGE.serialize({ key, rangeEnd }));
    expect(bounds('', 'b')).to.deep.equal({ key: '\0', rangeEnd: 'b' });
    expect(bounds('b', 'a')).to.deep.equal({ key: '\0\0', rangeEnd: '\0\0' });
  });

  it('read a range', () => {
    const message = write('RangeResponse', { header, kvs: [POD, {}], more: true, count: 70_000 });
    expect(RANGE.deserialize(message)).to.deep.equal({
      revision,
      items: [
        READ_POD,
        {
          key: '',
          value: new Uint8Array(0),
          createRevision: 0n,
          modRevision: 0n,
          version: 0n,
          lease: 0n,
        },
      ],
      more: true,
      count: 70_000,
    });
  });

  it('carry all comparisons and operations of a transaction, in their order', () => {
    const request = TXN.serialize({
      compare: [
        { key: 'a', target: 'modRevision', operator: '=', operand: 0n },
        { key: 'b', target: 'createRevision', operator: '>', operand: -1n },
        { key: 'c', target: 'version', operator: '<', operand: 1n },
        { key: 'd', target: 'lease', operator: '!=', operand: LARGE },
        { key: 'e', target: 'value', operator: '=', operand: bytes('v') },
      ],
      success: [
        { type: 'put', key: 'a', value: bytes('1'), lease: LARGE },
        { type: 'put', key: 'b', value: bytes('') },
        { type: 'delete', key: 'c' },
      ],
      failure: [{ type: 'range', key: 'a', limit: 1 }],
    });
    expect(read('TxnRequest', request)).to.deep.equal({
      compare: [
        { key: 'a', target: 2, result: 0, modRevision: '0' },
        { key: 'b', target: 1, result: 1, createRevision: '-1' },
        { key: 'c', target: 0, result: 2, version: '1' },
        { key: 'd', target: 4, result: 3, lease: String(LARGE) },
        { key: 'e', target: 3, result: 0, value: 'v' },
      ],
      success: [
        { requestPut: { key: 'a', value: '1', lease: String(LARGE) } },
        { requestPut: { key: 'b', value: '' } },
        { requestDeleteRange: { key: 'c', prevKv: true } },
      ],
      failure: [{ requestRange: { key: 'a', limit: '1' } }],
    });
  });

  it('give the ranges of a transaction its revision', () => {
    const message = write('TxnResponse', {
      header,
      succeeded: true,
      responses: [
        { responseRange: { kvs: [POD], count: 1 } },
        { responsePut: { header } },
        { responseDeleteRange: { deleted: 2, prevKvs: [POD] } },
        {},
      ],
    });
    expect(TXN.deserialize(message)).to.deep.equal({
      succeeded: true,
      revision,
      responses: [
        { type: 'range', revision, items: [READ_POD], count: 1, more: false },
        { type: 'put' },
        { type: 'delete', deleted: 2, previous: [READ_POD] },
        { type: 'put' },
      ],
    });
  });

  it('begin a watch, and ask for its progress', () => {
    const request = WATCH.serialize({
      key: '/pods/',
      rangeEnd: '/pods0',
      startRevision: 5n,
      progressNotify: true,
      prevKv: false,
    });
    expect(read('WatchRequest', request)).to.deep.equal({
      createRequest: {
        key: '/pods/',
        rangeEnd: '/pods0',
        startRevision: '5',
        progressNotify: true,
        prevKv: false,
        fragment: true,
      },
    });
    expect(read('WatchRequest', WATCH.serialize('progress'))).to.deep.equal({
      progressRequest: {},
    });
  });

  it('read the events of a watch', () => {
    const message = write('WatchResponse', {
      header,
      watchId: -1,
      created: true,
      canceled: true,
      compactRevision: 12,
      cancelReason: 'no leader',
      fragment: true,
      events: [{ kv: POD }, { type: 1, kv: POD, prevKv: POD }],
    });
    expect(WATCH.deserialize(message)).to.deep.equal({
      revision,
      watchId: -1n,
      created: true,
      canceled: true,
      compactRevision: 12n,
      cancelReason: 'no leader',
      fragment: true,
      events: [
        { type: 'put', kv: READ_POD },
        { type: 'delete', kv: READ_POD, previous: READ_POD },
      ],
    });
  });

  it('carry leases, compactions, logins and versions', () => {
    expect(read('LeaseGrantRequest', LEASE_GRANT.serialize(60))).to.deep.equal({ TTL: '60' });
    expect(read('LeaseRevokeRequest', LEASE_REVOKE.serialize(LARGE))).to.deep.equal({
      ID: String(LARGE),
    });
    expect(read('CompactionRequest', COMPACT.serialize(300n))).to.deep.equal({ revision: '300' });
    const login = AUTHENTICATE.serialize({ username: 'root', password: 'pass' });
    expect(read('AuthenticateRequest', login)).to.deep.equal({ name: 'root', password: 'pass' });
    expect(STATUS.serialize(undefined)).to.deep.equal(Buffer.alloc(0));

    const lease = write('LeaseGrantResponse', { header, ID: String(LARGE), TTL: 90 });
    expect(LEASE_GRANT.deserialize(lease)).to.deep.equal({ id: LARGE, ttlSeconds: 90 });
    const token = write('AuthenticateResponse', { header, token: 'abc.1' });
    expect(AUTHENTICATE.deserialize(token)).to.equal('abc.1');
    const status = write('StatusResponse', { header, version: '3.5.16', leader: 9, dbSize: 1 });
    expect(STATUS.deserialize(status)).to.equal('3.5.16');
  });

  it('are refused when they are cut off, wherever that is', () => {
    const whole = write('TxnResponse', { responses: [{ responseRange: { kvs: [POD] } }] });
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => TXN.deserialize(whole.subarray(0, length)), `${length} bytes`).to.throw(
        RangeError,
      );
    }
  });

  it('are refused when a field goes beyond the message that it lies in', () => {
    // A response of 2 bytes, whose key-value says that its key has 3.
    const message = Buffer.of(0x12, 0x02, 0x0a, 0x03, 0x61, 0x62, 0x63);
    expect(() => RANGE.deserialize(message)).to.throw(RangeError);
  });
});
