import protobuf from 'protobufjs';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import type { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { EtcdConnection } from '../../../lib/server/etcd/etcd-connection.ts';
import { rpcError, status } from '../../../lib/server/etcd/etcd-error.ts';
import { resolveEtcdOptions, type EtcdOptions } from '../../../lib/server/etcd/etcd-options.ts';
import { RangeReads } from '../../../lib/server/etcd/range-reads.ts';
import type {
  RangeRequest,
  RangeResponse,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';

/** As in etcd's rpc.proto and kv.proto, what ranges need. */
const { root } = protobuf.parse(`syntax = "proto3";
  message Header { int64 revision = 3; }
  message KeyValue { bytes key = 1; int64 createRevision = 2; int64 modRevision = 3; int64 version = 4; bytes value = 5; }
  message Request { bytes key = 1; bytes rangeEnd = 2; int64 limit = 3; int64 revision = 4; bool countOnly = 9; }
  message Response { Header header = 1; repeated KeyValue kvs = 2; bool more = 3; int64 count = 4; }`);
const Request = root.lookupType('Request');
const Response = root.lookupType('Response');

interface WireRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly limit: string;
  readonly revision: string;
}

export interface SlowMemberOptions extends Partial<EtcdOptions> {
  readonly runtime: VirtualRuntime;
  /** How many bytes of values it sends in a millisecond. */
  readonly bytesPerMs: number;
}

/** A page that was asked for. */
export interface AskedPage {
  readonly key: string;
  readonly limit: number;
  answered: boolean;
}

/** A store whose ranges are read from a member of etcd, which takes the longer the more bytes it sends. The member is made up. */
export class SlowMember extends EmbeddedKeyValueStore {
  readonly asked: AskedPage[] = [];
  /** Called after each answer. */
  onAnswer: () => void = () => {};
  bytesPerMs: number;
  readonly #runtime: VirtualRuntime;
  readonly #reads: RangeReads;

  constructor({ runtime, bytesPerMs, ...options }: SlowMemberOptions) {
    super({ runtime });
    this.bytesPerMs = bytesPerMs;
    this.#runtime = runtime;
    const resolved = resolveEtcdOptions({ endpoints: ['http://member:2379'], runtime, ...options });
    this.#reads = new RangeReads(
      new EtcdConnection(resolved, () => ({
        call: ({ message }) => this.#call(message),
        destroy: () => {},
      })),
    );
  }

  override async range(request: RangeRequest): Promise<RangeResponse> {
    return await this.#reads.range(request);
  }

  #call(message: Uint8Array): { readonly answer: Promise<Buffer>; cancel(): void } {
    const { key, rangeEnd, limit, revision } = Request.toObject(Request.decode(message), {
      defaults: true,
      longs: String,
    }) as WireRequest;
    const answer = deferred<Buffer>();
    const asked = { key: text(key), limit: Number(limit), answered: false };
    let isCanceled = false;
    this.asked.push(asked);
    void (async () => {
      const page = await super.range({
        key: text(key),
        ...(rangeEnd.length === 0 ? {} : { rangeEnd: text(rangeEnd) }),
        limit: asked.limit,
        revision: BigInt(revision),
      });
      let bytes = 0;
      for (const { value } of page.items) bytes += value.length;
      this.#runtime.setTimer(1 + bytes / this.bytesPerMs, () => {
        if (isCanceled) return;
        asked.answered = true;
        answer.resolve(encoded(page));
        this.onAnswer();
      });
    })();
    const cancel = (): void => {
      isCanceled = true;
      answer.reject(rpcError(status.CANCELLED, 'the member did not answer in time'));
    };
    return { answer: answer.promise, cancel };
  }
}

function encoded({ revision, items, more, count }: RangeResponse): Buffer {
  const kvs = items.map(({ key, value, createRevision, modRevision, version }) => ({
    key: Buffer.from(key),
    value,
    createRevision: Number(createRevision),
    modRevision: Number(modRevision),
    version: Number(version),
  }));
  const header = { revision: Number(revision) };
  return Buffer.from(Response.encode({ header, kvs, more, count }).finish());
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
