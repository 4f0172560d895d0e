import { Backoff } from '../../../../kernel/time/backoff.ts';
import {
  errorMessage,
  isListwatchError,
  ListwatchError,
} from '../../../../kernel/failure/errors.ts';
import { sleep } from '../../../../kernel/time/wait.ts';
import { FrameSplitter } from '../../../transport/body/frame-splitter.ts';
import { TransportError } from '../../../transport/contract/transport-error.ts';
import type { ResponseBody } from '../../../transport/contract/transport.ts';
import { LogProbe } from './log-probe.ts';
import { logQuery, type FollowLogOptions } from './pod-log-options.ts';
import type { PodCall, PodRequests } from '../pod/pod-requests.ts';
import { SeenLines, timedLine } from './seen-lines.ts';

const MAX_LINE_BYTES = 1024 * 1024;
/** For how long a cut log is asked for again without an answer, milliseconds; then the last error is thrown. */
const RESUME_MS = 300_000;
/** Its time is all that counts. */
const LAST_LINE = { tailLines: 1, limitBytes: 1024, timestamps: true };
const BACKOFF = { baseMs: 100, capMs: 10_000 };

/** Failures of the way to the node; everything else is an answer. */
const CUT: ReadonlySet<string> = new Set([
  'CONNECTION_FAILED',
  'CONNECTION_REFUSED',
  'REQUEST_TIMEOUT',
  'PROXY',
  'STREAM_IDLE',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
  'SERVER_TIMEOUT',
  'TOO_MANY_REQUESTS',
]);

/**
 * The lines of a log, each once, until the container ends. A cut connection is made again, for five minutes after each cut.
 * `LogProbe` finds out about one that died without a word, within 35 s.
 *
 * Guarantees: of a line that was cut in its middle, only the whole is given. In memory are one piece of the network, one line of at most
 * `maxLineBytes`, and the times of the last 1024 lines.
 *
 * Not guaranteed: lines that the node has deleted meanwhile, or that a container wrote before it was restarted while the connection was
 * cut; `previous` has those.
 */
export class FollowedLog {
  readonly #requests: PodRequests;
  readonly #call: PodCall;
  readonly #options: FollowLogOptions;
  readonly #maxLineBytes: number;
  readonly #seen = new SeenLines();
  readonly #backoff: Backoff;
  #leftBytes: number;
  /** Whether the server has answered once. Before, a failure is that of the call. */
  #opened = false;
  /** The time of the first answer by the clock of the server. */
  #startMs: number | undefined;
  /** Monotonic milliseconds since when the log cannot be read; undefined while it is. */
  #cutMs: number | undefined;

  constructor(requests: PodRequests, call: PodCall, options: FollowLogOptions) {
    this.#requests = requests;
    this.#call = call;
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
    this.#leftBytes = options.limitBytes ?? Infinity;
    this.#backoff = new Backoff(requests.runtime, BACKOFF);
  }

  async *lines(): AsyncGenerator<string, undefined> {
    for (;;) {
      try {
        const call = { ...this.#call, query: this.#query() };
        const { body, serverMs } = await this.#requests.followedLog(call);
        if (!this.#opened) this.#startMs = serverMs;
        this.#opened = true;
        this.#cutMs = undefined;
        yield* this.#read(body);
        return undefined;
      } catch (error) {
        await this.#waitAfter(error);
      }
    }
  }

  /** Times are asked for in any case: they say where to continue. */
  #query(): URLSearchParams {
    const { container, previous } = this.#options;
    const { newest } = this.#seen;
    if (newest !== undefined) this.#seen.resumed();
    const from = newest === undefined ? this.#start() : { sinceTime: new Date(newest) };
    const query = logQuery({ container, previous, ...from, timestamps: true });
    query.set('follow', 'true');
    return query;
  }

  /** Where to begin before there was a line. After a cut, "now" and "so many seconds ago" still mean those of the first answer. */
  #start(): Pick<FollowLogOptions, 'tailLines' | 'sinceTime' | 'sinceSeconds'> {
    const { tailLines, sinceTime, sinceSeconds } = this.#options;
    if (this.#startMs === undefined) return { tailLines, sinceTime, sinceSeconds };
    if (tailLines === 0) return { sinceTime: new Date(this.#startMs) };
    if (sinceSeconds === undefined) return { tailLines, sinceTime };
    return { tailLines, sinceTime: new Date(this.#startMs - sinceSeconds * 1000) };
  }

  async *#read(body: ResponseBody): AsyncGenerator<string, undefined> {
    // Room for the time and the space in front.
    const splitter = new FrameSplitter({ maxFrameBytes: this.#maxLineBytes + 40 });
    let lines: string[] = [];
    const take = (bytes: Buffer, start: number, end: number): void => {
      const line = this.#take(bytes.toString('utf8', start, end));
      if (line !== undefined) lines.push(line);
    };
    for await (const piece of this.#probed(body)) {
      let tooLong: unknown;
      try {
        splitter.push(piece, take);
      } catch (error) {
        tooLong = error;
      }
      yield* lines;
      lines = [];
      if (this.#leftBytes <= 0) return undefined;
      if (tooLong !== undefined) throw this.#tooLong(tooLong);
    }
    splitter.end(take);
    yield* lines;
    return undefined;
  }

  /** The pieces of a log. @throws {TransportError} code STREAM_IDLE when its connection is dead. */
  async *#probed(body: ResponseBody): AsyncGenerator<Uint8Array, undefined> {
    const { container, previous } = this.#options;
    const probe = new LogProbe({
      runtime: this.#requests.runtime,
      signal: this.#call.options.signal,
      newest: () => this.#seen.newest,
      lastLine: async (signal) => {
        const query = logQuery({ container, previous, ...LAST_LINE });
        const options = { ...this.#call.options, signal };
        return await this.#requests.lastOfLog({ ...this.#call, query, options });
      },
      dead: (problem) =>
        new TransportError('STREAM_IDLE', this.#requests.request(this.#call), problem),
    });
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done = false, value } = await probe.read(pieces.next());
        if (done || value === undefined) return undefined;
        yield value;
      }
    } finally {
      probe.close();
      await pieces.return?.();
    }
  }

  /** Undefined for a line that was given before, or is over the limit. */
  #take(sent: string): string | undefined {
    const line = timedLine(sent);
    if (!this.#seen.take(line) || this.#leftBytes <= 0) return undefined;
    const shown = this.#options.timestamps === true ? sent : line.text;
    if (this.#leftBytes === Infinity) return shown;
    const bytes = Buffer.from(shown);
    const left = this.#leftBytes;
    this.#leftBytes -= bytes.length + 1;
    return bytes.length <= left ? shown : bytes.subarray(0, left).toString('utf8');
  }

  /** @throws `error` when the log cannot be read on. */
  async #waitAfter(error: unknown): Promise<void> {
    const { runtime, logger } = this.#requests;
    const { signal } = this.#call.options;
    if (!this.#opened || signal?.aborted === true) throw error;
    if (!isListwatchError(error) || !CUT.has(error.code)) throw error;
    const nowMs = runtime.monotonicMs();
    this.#cutMs ??= nowMs;
    if (nowMs - this.#cutMs > RESUME_MS) throw error;
    const { name } = this.#call;
    const waitMs = this.#backoff.step();
    logger.warn('a followed log was cut, and is read on', {
      pod: name,
      error: errorMessage(error),
      waitMs: Math.round(waitMs),
    });
    await sleep(runtime, waitMs, { signal });
  }

  #tooLong(error: unknown): unknown {
    if (!(error instanceof ListwatchError)) return error;
    const problem = `a line of the log is longer than maxLineBytes, ${this.#maxLineBytes} bytes; raise it, or read the log without follow`;
    return new TransportError('FRAME_TOO_LARGE', this.#requests.request(this.#call), problem);
  }
}
