import { errorMessage } from '../../kernel/failure/errors.ts';
import type {
  KeyValueStatus,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchMessage,
  KeyValueWatchRequest,
  Lease,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../../server/mvcc/contract/key-value-store.ts';
import type { HistoryRecorder, OpenWatchRecording } from './history-recorder.ts';

/** @experimental */
export interface RecordingKeyValueStoreOptions {
  readonly store: KeyValueStore;
  readonly recorder: HistoryRecorder;
  /** The name of the caller in the history. */
  readonly client: string;
}

/**
 * A key-value store that records all calls and their results. It returns the results of the store behind it unchanged.
 *
 * Not guaranteed: that leases are in the history; the checkers report a key that expires as a change without an operation.
 *
 * @experimental
 */
export class RecordingKeyValueStore implements KeyValueStore, AsyncDisposable {
  readonly #store: KeyValueStore;
  readonly #recorder: HistoryRecorder;
  readonly #client: string;

  constructor({ store, recorder, client }: RecordingKeyValueStoreOptions) {
    this.#store = store;
    this.#recorder = recorder;
    this.#client = client;
  }

  get supportsProgress(): boolean {
    return this.#store.supportsProgress;
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    const operation = this.#recorder.call(this.#client, { type: 'range', request });
    try {
      const response = await this.#store.range(request);
      this.#recorder.answer(operation, response);
      return response;
    } catch (error) {
      this.#recorder.fail(operation, error);
      throw error;
    }
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    const operation = this.#recorder.call(this.#client, { type: 'txn', request });
    try {
      const response = await this.#store.txn(request);
      this.#recorder.answer(operation, response);
      return response;
    } catch (error) {
      this.#recorder.fail(operation, error);
      throw error;
    }
  }

  async watch(request: KeyValueWatchRequest): Promise<KeyValueWatch> {
    const watch = await this.#store.watch(request);
    const { signal: _signal, ...rest } = request;
    const { startedAt } = watch;
    const recording = this.#recorder.watch({ client: this.#client, request: rest, startedAt });
    return new RecordingWatch(watch, this.#recorder, recording);
  }

  async compact(revision: Revision): Promise<void> {
    this.#recorder.compaction(revision);
    await this.#store.compact(revision);
  }

  async leaseGrant(ttlSeconds: number): Promise<Lease> {
    return await this.#store.leaseGrant(ttlSeconds);
  }

  async leaseRevoke(leaseId: bigint): Promise<void> {
    await this.#store.leaseRevoke(leaseId);
  }

  async status(): Promise<KeyValueStatus> {
    return await this.#store.status();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Records each batch when its reader takes it. */
class RecordingWatch implements KeyValueWatch {
  readonly #watch: KeyValueWatch;
  readonly #recorder: HistoryRecorder;
  readonly #recording: OpenWatchRecording;

  constructor(watch: KeyValueWatch, recorder: HistoryRecorder, recording: OpenWatchRecording) {
    this.#watch = watch;
    this.#recorder = recorder;
    this.#recording = recording;
  }

  get startedAt(): Revision {
    return this.#watch.startedAt;
  }

  async requestProgress(): Promise<void> {
    await this.#watch.requestProgress();
  }

  destroy(): void {
    this.#watch.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly KeyValueWatchMessage[], undefined> {
    try {
      for await (const messages of this.#watch) {
        this.#recorder.batch(this.#recording, messages);
        yield messages;
      }
    } catch (error) {
      this.#recording.end = { error: errorMessage(error) };
      throw error;
    } finally {
      this.#recording.end ??= {};
    }
  }
}
