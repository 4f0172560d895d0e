import {
  EmbeddedKeyValueStore,
  type EmbeddedKeyValueStoreOptions,
} from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  prefixEnd,
  type KeyValue,
  type KeyValueWatch,
  type KeyValueWatchMessage,
  type Revision,
  type TxnResponse,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

/** An embedded store in virtual time, with the calls specs make all the time. */
export class EmbeddedStoreHarness {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly store: EmbeddedKeyValueStore;

  constructor(options: EmbeddedKeyValueStoreOptions = {}) {
    this.store = new EmbeddedKeyValueStore({ runtime: this.runtime, ...options });
  }

  async put(key: string, value: string = '', lease?: bigint): Promise<Revision> {
    const success = [{ type: 'put', key, value: Buffer.from(value), lease } as const];
    return (await this.store.txn({ compare: [], success })).revision;
  }

  async delete(key: string, rangeEnd?: string): Promise<TxnResponse> {
    return await this.store.txn({ compare: [], success: [{ type: 'delete', key, rangeEnd }] });
  }

  async list(prefix: string, revision?: Revision): Promise<string[]> {
    const request = { key: prefix, rangeEnd: prefixEnd(prefix), revision };
    return (await this.store.range(request)).items.map(describeKeyValue);
  }

  async watch(
    prefix: string,
    startRevision?: Revision,
    options: { readonly previous?: boolean; readonly progressNotify?: boolean } = {},
  ): Promise<WatchReader> {
    const request = { key: prefix, rangeEnd: prefixEnd(prefix), startRevision, ...options };
    return new WatchReader(await this.store.watch(request), this.runtime);
  }
}

/** `key=value@modRevision`. */
export function describeKeyValue(kv: KeyValue): string {
  return `${kv.key}=${Buffer.from(kv.value).toString()}@${kv.modRevision}`;
}

/** `put key=value@revision`, `delete key@revision` or `progress@revision`. */
export function describeMessage(message: KeyValueWatchMessage): string {
  if (message.type === 'progress') return `progress@${message.revision}`;
  const { type, kv } = message.event;
  return type === 'put' ? `put ${describeKeyValue(kv)}` : `delete ${kv.key}@${kv.modRevision}`;
}

/** Reads a watch batch by batch, without ever waiting for one that does not come. */
export class WatchReader {
  readonly watch: KeyValueWatch;
  readonly #runtime: VirtualRuntime;
  readonly #iterator: AsyncIterator<readonly KeyValueWatchMessage[]>;
  #pending: Promise<IteratorResult<readonly KeyValueWatchMessage[]>> | undefined;

  constructor(watch: KeyValueWatch, runtime: VirtualRuntime) {
    this.watch = watch;
    this.#runtime = runtime;
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  /** The next batch; undefined when there is none now; 'end' at the end. */
  async batch(): Promise<readonly KeyValueWatchMessage[] | 'end' | undefined> {
    this.#pending ??= this.#iterator.next();
    let result: IteratorResult<readonly KeyValueWatchMessage[]> | undefined;
    let failure: { readonly error: unknown } | undefined;
    this.#pending.then(
      (value) => {
        result = value;
      },
      (error: unknown) => {
        failure = { error };
      },
    );
    await this.#runtime.settle();
    if (failure === undefined && result === undefined) return undefined;
    this.#pending = undefined;
    if (failure !== undefined) throw failure.error;
    if (result === undefined) return undefined;
    return result.done === true ? 'end' : result.value;
  }

  /** Everything that can be read now, in words. */
  async read(): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const batch = await this.batch();
      if (batch === undefined) return lines;
      if (batch === 'end') return [...lines, 'end'];
      lines.push(...batch.map(describeMessage));
    }
  }
}
