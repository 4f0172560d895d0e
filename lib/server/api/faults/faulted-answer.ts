import type { Runtime } from '../../../kernel/time/runtime.ts';
import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import { expired } from '../../../meta/failure/failures.ts';
import { reasonRow } from '../../../meta/failure/status-reason.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { encodeText } from '../../http/responses/api-response.ts';
import { ConnectionReset } from '../../http/connection-reset.ts';
import { lengthPrefixedEnd, lineEnd, endOfEvents, type FrameEnd } from './event-frames.ts';
import type { ActiveFault } from './active-fault.ts';
import type { AfterEvents, FaultAnswer, FaultRule } from './fault-rule.ts';
import { nextTask, sleep } from '../../../kernel/time/wait.ts';

type Result = IteratorResult<Uint8Array, undefined>;

/** Where a body is cut, and what happens there. */
interface BodyCut {
  /** The number of events, or of bytes, that are sent before. */
  readonly after: number;
  /** How events are found; undefined: bytes are counted. */
  readonly frameEnd: FrameEnd | undefined;
  /** Called once, before the last piece in front of the place is sent: what comes after it is certain. */
  readonly reached: () => void;
  /** Called once, at the place. An error that it throws breaks the body off; bytes are its last piece; 'silence' keeps it open. */
  readonly strike: () => Uint8Array | 'end' | 'silence';
}

interface FaultyBodyOptions {
  readonly body: AsyncIterable<Uint8Array>;
  readonly cut: BodyCut | undefined;
  /** Holds each piece back, milliseconds. */
  readonly holdMs: number;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/**
 * A body that is held back or cut. After the cut the source is left at once, so that a watch of a client that gets nothing more
 * does not go on.
 */
class FaultyBody implements AsyncIterable<Uint8Array> {
  readonly #options: FaultyBodyOptions;
  readonly #source: AsyncIterator<Uint8Array>;
  #left: number;
  #ended = false;
  #reached = false;
  #wake: (() => void) | undefined;

  constructor(options: FaultyBodyOptions) {
    this.#options = options;
    this.#source = options.body[Symbol.asyncIterator]();
    this.#left = options.cut?.after ?? Infinity;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: async (): Promise<Result> => {
        this.#ended = true;
        this.#wake?.();
        await this.#source.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<Result> {
    const { cut, holdMs, runtime, signal } = this.#options;
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      if (cut !== undefined && this.#left <= 0) return await this.#strike(cut);
      const { done, value } = await this.#source.next();
      if (done === true) return await this.#atEnd();
      if (holdMs > 0) await sleep(runtime, holdMs, { signal }).catch(() => {});
      const piece = cut === undefined ? value : this.#before(cut, value);
      if (cut !== undefined && this.#left <= 0) this.#reach(cut);
      if (piece.length > 0) return { done: false, value: piece };
    }
  }

  /** The part of a piece before the cut. */
  #before({ frameEnd }: BodyCut, piece: Uint8Array): Uint8Array {
    if (frameEnd === undefined) {
      const part = piece.subarray(0, this.#left);
      this.#left -= piece.length;
      return part.length === piece.length ? piece : part;
    }
    const { end, events } = endOfEvents(piece, this.#left, frameEnd);
    this.#left -= events;
    return end === piece.length ? piece : piece.subarray(0, end);
  }

  #reach({ reached }: BodyCut): void {
    if (!this.#reached) reached();
    this.#reached = true;
  }

  async #strike(cut: BodyCut): Promise<Result> {
    this.#ended = true;
    this.#reach(cut);
    await this.#source.return?.();
    // The pieces before it are on the connection then.
    await nextTask(this.#options.runtime);
    const last = cut.strike();
    if (last === 'silence') await this.#untilLeft();
    else if (last !== 'end') return { done: false, value: last };
    return { done: true, value: undefined };
  }

  /** A whole body that is shorter than the cut breaks off where it ends. */
  async #atEnd(): Promise<Result> {
    const { cut } = this.#options;
    if (cut !== undefined && cut.frameEnd === undefined) return await this.#strike(cut);
    this.#ended = true;
    return { done: true, value: undefined };
  }

  /** Until the client has gone. */
  async #untilLeft(): Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    });
  }
}

/** The Status of an answer. */
export function faultStatus({ status, retryAfterSeconds, message }: FaultAnswer): ApiError {
  const reason = reasonRow(undefined, status)?.reason ?? '';
  return failure(reason, message ?? `a fault answers ${status}`, {
    code: status,
    details: retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  });
}

interface ChangedAnswerOptions {
  readonly runtime: Runtime;
  /** The loss of the answer was counted before the request was handled. */
  readonly isCounted: boolean;
}

/** The answer with the effects of a fault on its body. */
export function changedAnswer(
  response: ApiResponse,
  fault: ActiveFault,
  { signal }: ApiRequest,
  { runtime, isCounted }: ChangedAnswerOptions,
): ApiResponse {
  const { reset, holdEventsMs = 0 } = fault.rule;
  if (typeof reset === 'object' && 'handled' in reset) {
    leave(response);
    if (!isCounted) fault.strike();
    throw new ConnectionReset();
  }
  const isWatch = response.isWatch === true;
  const holdMs = isWatch ? holdEventsMs : 0;
  if (holdMs > 0) fault.strike();
  const reached = (): void => {
    if (!isCounted) fault.strike();
  };
  const cut = cutOf(fault.rule, response, { isWatch, reached });
  if (cut === undefined && holdMs === 0) return response;
  const { 'content-length': _, ...headers } = response.headers;
  return {
    ...response,
    headers,
    body: new FaultyBody({ body: streamOf(response.body), cut, holdMs, runtime, signal }),
  };
}

interface CutOptions extends Pick<BodyCut, 'reached'> {
  readonly isWatch: boolean;
}

function cutOf(
  { reset, expire, end, silence }: FaultRule,
  response: ApiResponse,
  { isWatch, reached }: CutOptions,
): BodyCut | undefined {
  const strike = (): never => {
    throw new ConnectionReset('a fault reset the connection within the answer');
  };
  if (typeof reset === 'object' && 'afterBytes' in reset) {
    return { after: reset.afterBytes, frameEnd: undefined, reached, strike };
  }
  if (!isWatch) return undefined;
  const isJson = String(response.headers['content-type']).includes('json');
  const frameEnd: FrameEnd = isJson ? lineEnd : lengthPrefixedEnd;
  if (typeof reset === 'object' && 'afterEvents' in reset) {
    return { after: reset.afterEvents, frameEnd, reached, strike };
  }
  const at = (place: true | AfterEvents, last: Uint8Array | 'end' | 'silence'): BodyCut => {
    return { after: placeOf(place), frameEnd, reached, strike: () => last };
  };
  if (expire !== undefined) return at(expire, isJson ? expiredFrame() : 'end');
  if (end !== undefined) return at(end, 'end');
  return silence && at(silence, 'silence');
}

function placeOf(place: true | AfterEvents): number {
  return place === true ? 0 : place.afterEvents;
}

function expiredFrame(): Uint8Array {
  const { status } = expired('too old resource version: a fault says so');
  return encodeText(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
}

function streamOf(body: ApiResponse['body']): AsyncIterable<Uint8Array> {
  return body instanceof Uint8Array ? onePiece(body) : body;
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes;
}

/** Ends a body that is not sent. */
function leave({ body }: ApiResponse): void {
  if (body instanceof Uint8Array) return;
  body[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
