import type { ClientDuplexStream } from '@grpc/grpc-js';
import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/abort.ts';
import { Backoff } from '../../kernel/backoff.ts';
import { errorMessage, isListwatchError } from '../../kernel/errors.ts';
import { deferred, type Deferred } from '../../kernel/latch.ts';
import { sleep } from '../../kernel/wait.ts';
import type {
  KeyValueWatch,
  KeyValueWatchMessage,
  KeyValueWatchRequest,
  Revision,
} from '../mvcc/key-value-store.ts';
import { compactedError } from '../mvcc/revision-errors.ts';
import type { EtcdConnection } from './etcd-connection.ts';
import { canceled, failureOf, isServiceError, refused } from './etcd-error.ts';
import { keyBytes, rangeOf } from './key-value-wire.ts';
import { ProgressRequest } from './progress-request.ts';
import { WatchBuffer } from './watch-buffer.ts';
import { WatchResponses, type WatchNews } from './watch-responses.ts';
import { fromLong, RANGE, toLong, WATCH, type WireWatchResponse } from './wire.ts';

/** Any key does for reading the revision. */
const NO_KEY = '\0';
/** Members come back, or are replaced by others, within moments, and all readers of the watch wait for it. */
const BACKOFF = { baseMs: 50, capMs: 1_000 } as const;

export interface EtcdWatchOptions {
  readonly connection: EtcdConnection;
  readonly request: KeyValueWatchRequest;
  /** Whether answers to progress requests of this cluster can be believed. */
  readonly trustsProgress: boolean;
  readonly onEnd: (watch: EtcdWatch) => void;
}

type Stream = ClientDuplexStream<object, WireWatchResponse>;

/**
 * One watch on a cluster, over as many streams as it takes.
 *
 * When a stream breaks, another member is asked to go on behind the last event that was delivered: events come once, in
 * order and without a gap, or the watch ends with COMPACTED. It tries for ever; each loss is logged.
 */
export class EtcdWatch implements KeyValueWatch {
  readonly #options: EtcdWatchOptions;
  readonly #abort: DerivedAbort;
  readonly #buffer: WatchBuffer;
  readonly #opened: Deferred<void> = deferred<void>();
  readonly #responses: WatchResponses;
  readonly #progress: ProgressRequest;
  #startedAt: Revision | undefined;
  #stream: Stream | undefined;
  /** When the present stream last said something. */
  #heardAtMs = 0;
  #isLooking = false;
  /** Ends the present stream. */
  #onSilence: () => void = () => {};

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    const { connection, request, trustsProgress } = options;
    this.#abort = deriveAbort(request.signal);
    this.#responses = new WatchResponses({ start: request.startRevision, trustsProgress });
    this.#buffer = new WatchBuffer({
      capacity: connection.options.watchBufferEvents,
      onFull: () => this.#stream?.pause(),
      onRoom: () => this.#stream?.resume(),
      onLeave: () => {
        this.close();
      },
    });
    this.#progress = new ProgressRequest({
      runtime: connection.options.runtime,
      ask: () => {
        if (this.#responses.created) this.#stream?.write({ progressRequest: {} });
      },
      onSilence: () => void this.#lookForProgress(),
    });
    onAbort(this.#abort.signal, () => {
      this.#buffer.end();
      this.#progress.stop();
      this.#opened.resolve();
      options.onEnd(this);
    });
  }

  get startedAt(): Revision {
    return this.#startedAt ?? 0n;
  }

  /** Resolves when a member has registered the watch. */
  async open(): Promise<void> {
    void this.#run();
    await this.#opened.promise;
  }

  async requestProgress(): Promise<void> {
    if (this.#options.trustsProgress && !this.#abort.signal.aborted) this.#progress.start();
  }

  close(): void {
    this.#abort.abort();
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly KeyValueWatchMessage[], undefined> {
    return this.#buffer[Symbol.asyncIterator]();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { runtime } = this.#options.connection.options;
    const backoff = new Backoff(runtime, BACKOFF);
    while (!signal.aborted) {
      const error = await this.#follow(signal);
      if (signal.aborted) return;
      // A member that took the watch was well: what ends it later is a new story.
      if (this.#responses.created) backoff.reset();
      const failure = failureOf(error);
      if (failure.kind === 'refused') return this.#fail(refused(this.#what, failure.code, error));
      if (!isLoss(error)) return this.#fail(error);
      const delayMs = backoff.step();
      this.#logLoss(error, delayMs);
      await sleep(runtime, delayMs, { signal }).catch(() => {});
    }
  }

  get #what(): string {
    return `a watch on ${JSON.stringify(this.#options.request.key)}`;
  }

  #logLoss(error: unknown, delayMs: number): void {
    const { logger } = this.#options.connection.options;
    const where = this.#responses.next ?? 'now';
    const delay = Math.round(delayMs);
    logger.warn(
      `etcd: ${this.#what} broke: ${errorMessage(error)}; it goes on at revision ${where} in ${delay} ms`,
    );
  }

  #fail(error: unknown): void {
    this.#buffer.fail(error);
    this.#abort.dispose();
    this.#progress.stop();
    this.#opened.resolve();
    this.#options.onEnd(this);
  }

  /** Follows one stream until it ends; returns why it did. */
  async #follow(signal: AbortSignal): Promise<unknown> {
    const { connection } = this.#options;
    this.#responses.restart();
    let opened: Awaited<ReturnType<typeof connection.openStream<object, WireWatchResponse>>>;
    try {
      if (this.#responses.next === undefined) await this.#beginNow();
      opened = await connection.openStream(WATCH);
    } catch (error) {
      return error;
    }
    const { member, stream } = opened;
    this.#stream = stream;
    // The reader has not taken what the last stream brought.
    if (this.#buffer.isFull) stream.pause();
    const ended = deferred<unknown>();
    this.#onSilence = () => {
      ended.resolve(new Error('the member has fallen silent'));
    };
    const release = onAbort(signal, () => {
      ended.resolve(undefined);
    });
    this.#heardAtMs = connection.options.runtime.monotonicMs();
    stream.on('data', (response: WireWatchResponse) => {
      this.#heardAtMs = connection.options.runtime.monotonicMs();
      const error = this.#take(response);
      if (error !== undefined) ended.resolve(error);
    });
    stream.on('error', (error: unknown) => {
      ended.resolve(error);
    });
    stream.on('end', () => {
      ended.resolve(new Error('the member ended the stream'));
    });
    stream.write({ createRequest: this.#createRequest() });
    try {
      const error = await ended.promise;
      if (!signal.aborted) connection.moveFrom(member, error);
      return error;
    } finally {
      release();
      this.#stream = undefined;
      stream.cancel();
    }
  }

  /**
   * A watch from now begins behind what the cluster has acknowledged. A member that lags would begin before that, and deliver
   * what its caller has seen long ago.
   */
  async #beginNow(): Promise<void> {
    const revision = await this.#revision();
    this.#responses.beginBehind(revision);
    this.#startedAt ??= revision;
  }

  async #revision(): Promise<Revision> {
    const { connection, request } = this.#options;
    const key = keyBytes(request.key === '' ? NO_KEY : request.key);
    const call = { what: 'a read of the revision', repeatable: true };
    const { header } = await connection.call(RANGE, { key, countOnly: true }, call);
    return fromLong(header.revision);
  }

  #createRequest(): object {
    const { key, rangeEnd, previous, progressNotify } = this.#options.request;
    const { next } = this.#responses;
    return {
      ...rangeOf(key, rangeEnd),
      ...(next === undefined ? {} : { startRevision: toLong(next) }),
      prevKv: previous === true,
      progressNotify: progressNotify === true,
      fragment: true,
    };
  }

  /** Takes one response; returns why the stream is of no more use. */
  #take(response: WireWatchResponse): unknown {
    const news: WatchNews = this.#responses.take(response);
    switch (news.type) {
      case 'created':
        this.#startedAt ??= news.revision;
        this.#opened.resolve();
        this.#progress.ask();
        return undefined;
      case 'messages':
        this.#buffer.push(news.messages);
        return undefined;
      case 'progress':
        this.#tellProgress(news.revision, news.isAnswer);
        return undefined;
      case 'nothing':
        return undefined;
      case 'compacted':
        return compactedError(news.asked, news.compacted);
      case 'canceled':
        return canceled(news.reason);
    }
  }

  /** A request that was sent twice is answered twice; the second answer is ignored. */
  #tellProgress(revision: Revision, isAnswer: boolean): void {
    if (isAnswer && !this.#progress.wanted) return;
    if (isAnswer) this.#progress.stop();
    this.#buffer.push([{ type: 'progress', revision }]);
  }

  /**
   * A member is silent to a watch that begins at the next revision (etcd #20290): when the cluster has not reached it yet,
   * everything there is has been delivered. A member that still has events to send and is silent for as long as a call may take is
   * left: it hangs, and its connection takes long to notice.
   */
  async #lookForProgress(): Promise<void> {
    const { runtime, memberTimeoutMs } = this.#options.connection.options;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const revision = await this.#revision();
      const { next } = this.#responses;
      if (!this.#progress.wanted || next === undefined) return;
      if (revision < next) this.#tellProgress(revision, true);
      else if (this.#buffer.isFull) this.#heardAtMs = runtime.monotonicMs();
      else if (runtime.monotonicMs() - this.#heardAtMs > memberTimeoutMs) this.#onSilence();
    } catch {
      // The question goes on being asked; a cluster that does not answer shows on the stream, and is logged there.
    } finally {
      this.#isLooking = false;
    }
  }
}

/** A connection that broke, as opposed to an answer: COMPACTED is one. */
function isLoss(error: unknown): boolean {
  if (isListwatchError(error, 'STORE_UNAVAILABLE')) return true;
  return isServiceError(error) || !(error instanceof Error && 'code' in error);
}
