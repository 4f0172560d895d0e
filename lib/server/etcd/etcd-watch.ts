import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { Backoff } from '../../kernel/time/backoff.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type {
  KeyValueWatch,
  KeyValueWatchMessage,
  KeyValueWatchRequest,
  Revision,
} from '../mvcc/contract/key-value-store.ts';
import { compactedError } from '../mvcc/contract/revision-errors.ts';
import type { EtcdConnection, OpenedStream } from './etcd-connection.ts';
import { canceled, failureOf, isServiceError, refused } from './etcd-error.ts';
import type { WatchCreateRequest, WatchResponse } from './messages.ts';
import { RANGE, WATCH } from './procedures.ts';
import { WatchBuffer } from './watch-buffer.ts';
import { WatchResponses, type WatchNews } from './watch-responses.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

/** The interval of kube-apiserver. @see apiserver pkg/storage/cacher/progress/watch_progress.go progressRequestPeriod @ 24a394e */
const ASK_EVERY_MS = 100;

interface ProgressRequestOptions {
  readonly runtime: Runtime;
  /** Sends a request on the present stream, if there is one. */
  readonly ask: () => void;
  /** Called when a request got no response. */
  readonly onSilence: () => void;
}

/**
 * Requests progress until there is a response. Repetition is needed: a member does not respond to a watch that is behind or that
 * begins in the future, and a request is lost when its stream breaks.
 */
export class ProgressRequest {
  readonly #options: ProgressRequestOptions;
  #wanted = false;
  #timer: Timer | undefined;

  constructor(options: ProgressRequestOptions) {
    this.#options = options;
  }

  /** Whether a caller waits for a response. */
  get wanted(): boolean {
    return this.#wanted;
  }

  /** A caller that repeats its request sends it again, but does not put off the look for a silent member. */
  start(): void {
    if (this.#wanted) {
      this.#options.ask();
      return;
    }
    this.#wanted = true;
    this.ask();
  }

  /** Sends a request now, if a caller waits. */
  ask(): void {
    if (!this.#wanted) return;
    this.#options.ask();
    this.#timer?.cancel();
    this.#timer = this.#options.runtime.setTimer(ASK_EVERY_MS, () => {
      this.#options.onSilence();
      this.ask();
    });
  }

  /** Ends the requests: the response has arrived, or no caller waits any more. */
  stop(): void {
    this.#wanted = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

/** Any key will do to read the revision. */
const NO_KEY = '\0';
/** Short delays: members restart or are replaced quickly, and all readers of the watch wait for that. */
const BACKOFF = { baseMs: 50, capMs: 1_000 } as const;

export interface EtcdWatchOptions {
  readonly connection: EtcdConnection;
  readonly request: KeyValueWatchRequest;
  /** Whether responses to progress requests of this cluster are reliable. */
  readonly trustsProgress: boolean;
  readonly onEnd: (watch: EtcdWatch) => void;
}

type Opened = OpenedStream<WatchCreateRequest | 'progress', WatchResponse>;

/**
 * One watch on a cluster, over any number of streams.
 *
 * When a stream breaks, another member is asked to continue after the last delivered event. Events come once, in order and
 * without a gap, or the watch ends with COMPACTED. It tries without a time limit; each broken stream is logged.
 */
export class EtcdWatch implements KeyValueWatch {
  readonly #options: EtcdWatchOptions;
  readonly #abort: DerivedAbort;
  readonly #buffer: WatchBuffer;
  readonly #opened: Deferred<void> = deferred<void>();
  readonly #responses: WatchResponses;
  readonly #progress: ProgressRequest;
  #startedAt: Revision | undefined;
  #stream: Opened['stream'] | undefined;
  /** The time of the last message on the present stream, or of a later request for progress: before it nothing was due. */
  #heardAtMs = 0;
  /** The last progress that the reader got. */
  #notified: Revision = 0n;
  #isLooking = false;
  /** Ends the present stream because it is silent. */
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
        this.destroy();
      },
    });
    this.#progress = new ProgressRequest({
      runtime: connection.options.runtime,
      ask: () => {
        if (this.#responses.created) this.#stream?.write('progress');
      },
      onSilence: () => void this.#lookForProgress(),
    });
  }

  get startedAt(): Revision {
    return this.#startedAt ?? 0n;
  }

  /** Resolves when a member has registered the watch. Its end is reported from now on, also if the signal has aborted before. */
  async open(): Promise<void> {
    onAbort(this.#abort.signal, () => {
      this.#buffer.end();
      this.#progress.stop();
      this.#opened.resolve();
      this.#options.onEnd(this);
    });
    void this.#run();
    await this.#opened.promise;
  }

  async requestProgress(): Promise<void> {
    const { trustsProgress, connection } = this.#options;
    if (!trustsProgress || this.#buffer.hasEnded) return;
    if (!this.#progress.wanted) this.#heardAtMs = connection.options.runtime.monotonicMs();
    this.#progress.start();
  }

  destroy(): void {
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
      // A member that registered the watch was healthy, so the back-off for later failures starts again.
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
    logger.warn('etcd: a watch broke, and is continued', {
      key: this.#options.request.key,
      revision: String(this.#responses.next ?? 'now'),
      delayMs: Math.round(delayMs),
      error,
    });
  }

  #fail(error: unknown): void {
    this.#buffer.fail(error);
    this.#abort.destroy();
    this.#progress.stop();
    this.#opened.resolve();
    this.#options.onEnd(this);
  }

  /** Reads one stream until it ends; returns the reason. */
  async #follow(signal: AbortSignal): Promise<unknown> {
    const { connection } = this.#options;
    this.#responses.restart();
    let opened: Opened;
    try {
      if (this.#responses.next === undefined) await this.#beginNow();
      opened = await connection.openStream(WATCH);
    } catch (error) {
      return error;
    }
    const { stream } = opened;
    this.#stream = stream;
    // The reader has not taken the events of the last stream yet.
    if (this.#buffer.isFull) stream.pause();
    const ended = deferred<unknown>();
    this.#onSilence = () => {
      ended.resolve(new Error('the member has fallen silent'));
    };
    const release = onAbort(signal, () => {
      ended.resolve(undefined);
    });
    this.#heardAtMs = connection.options.runtime.monotonicMs();
    stream.on('data', (response: WatchResponse) => {
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
    stream.write(this.#createRequest());
    try {
      const error = await ended.promise;
      if (!signal.aborted) connection.moveFrom(opened, error);
      return error;
    } finally {
      release();
      this.#stream = undefined;
      stream.cancel();
    }
  }

  /**
   * Sets the start of a watch from now to the revision after the last acknowledged one. A member that lags would start earlier,
   * and deliver events that its caller has seen already.
   */
  async #beginNow(): Promise<void> {
    const revision = await this.#revision();
    this.#responses.beginBehind(revision);
    this.#startedAt ??= revision;
  }

  async #revision(): Promise<Revision> {
    const { connection, request } = this.#options;
    const key = request.key === '' ? NO_KEY : request.key;
    const call = { what: 'a read of the revision', repeatable: true };
    return (await connection.call(RANGE, { key, countOnly: true }, call)).revision;
  }

  #createRequest(): WatchCreateRequest {
    const { key, rangeEnd, previous, progressNotify } = this.#options.request;
    return {
      key,
      rangeEnd,
      startRevision: this.#responses.next,
      progressNotify: progressNotify === true,
      prevKv: previous === true,
    };
  }

  /** Processes one response; returns a reason if the stream must end. */
  #take(response: WatchResponse): unknown {
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
        this.#notifyProgress(news.revision, news.isAnswer);
        return undefined;
      case 'nothing':
        return undefined;
      case 'compacted':
        return compactedError(news.asked, news.compacted);
      case 'canceled':
        return canceled(news.reason);
    }
  }

  /**
   * A request that was sent twice gets two responses. The second one is ignored, unless it brings progress: it may be that of a caller
   * which joined the request after a write.
   */
  #notifyProgress(revision: Revision, isAnswer: boolean): void {
    if (isAnswer && !this.#progress.wanted && revision <= this.#notified) return;
    if (isAnswer) this.#progress.stop();
    this.#notified = revision;
    this.#buffer.push([{ type: 'progress', revision }]);
  }

  /**
   * A member sends nothing to a watch that begins at the next revision (etcd #20290). If the cluster has not reached that revision
   * yet, every event has been delivered. If a member still has events to send and sends nothing for as long as a call may take, the
   * stream is ended: the member hangs, and its connection would take long to notice.
   */
  async #lookForProgress(): Promise<void> {
    const { runtime, memberTimeoutMs } = this.#options.connection.options;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const revision = await this.#revision();
      if (!this.#progress.wanted || this.#responses.next === undefined) return;
      const progress = this.#responses.progressAt(revision);
      if (progress !== undefined) this.#notifyProgress(progress, true);
      else if (this.#buffer.isFull) this.#heardAtMs = runtime.monotonicMs();
      else if (runtime.monotonicMs() - this.#heardAtMs > memberTimeoutMs) this.#onSilence();
    } catch {
      // The next attempt follows by itself. If the cluster does not respond, the stream fails too, and that is logged.
    } finally {
      this.#isLooking = false;
    }
  }
}

/** Whether the error is a lost connection, and not a response such as COMPACTED. */
function isLoss(error: unknown): boolean {
  if (isListwatchError(error, 'STORE_UNAVAILABLE')) return true;
  return isServiceError(error) || !(error instanceof Error && 'code' in error);
}
