import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { errorMessage } from '../../../../../lib/kernel/failure/errors.ts';
import { isKnownFailure } from '../known-failures.ts';
import { AnswerReader } from './answer-reader.ts';
import type { Http2Exchange } from './draw-http2.ts';
import type { Ending, RawExchange } from './draw-raw.ts';
import { END_STREAM, FrameReader, frame, frameType, isStatus500 } from './http2-frames.ts';
import type { PortTarget } from './port-target.ts';

/** Far more than an answer takes on a machine that gives the server little time; only a hang reaches it. Milliseconds. */
export const HANG_MS = 300_000;
/** The time that an input may take that needs no answer, before the client ends the connection. Milliseconds. */
const PATIENCE_MS = 4;

/** A server gives a client 30 s to greet it. Milliseconds. */
const GREETING_MS = 25_000;

/** The result of a connection. */
export interface Outcome {
  /** Of the answers that came. */
  readonly statuses: readonly number[];
  /** Undefined when nothing is wrong. */
  readonly problem: string | undefined;
}

/** A connection whose end, and pieces, can be waited for. */
class Wire {
  readonly socket: Socket;
  isClosed = false;
  #error = 'without an error';
  readonly #startMs = performance.now();
  #wake: (() => void) | undefined;

  constructor(target: PortTarget, protocol: string | undefined, onData: (piece: Buffer) => void) {
    const { host, port } = target;
    this.socket =
      protocol === undefined
        ? connectPlain({ host, port })
        : connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: [protocol] });
    this.socket.setNoDelay(true);
    this.socket.on('data', (piece: Buffer) => {
      onData(piece);
      this.#wake?.();
    });
    // A stream that the server resets is closed too.
    this.socket.on('error', (error) => {
      this.#error = errorMessage(error);
    });
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#wake?.();
    });
  }

  ageMs(): number {
    return performance.now() - this.#startMs;
  }

  /** How the connection ended, for a failure. */
  describe(): string {
    const tls = this.socket instanceof TLSSocket ? 'TLS' : 'plain';
    return `${tls} connection, closed after ${this.ageMs().toFixed(0)} ms (${this.#error})`;
  }

  /** Whether this machine was so busy that a server may have given the client up before its first request. */
  isStarved(answers: number): boolean {
    return answers === 0 && this.ageMs() > GREETING_MS;
  }

  /** Returns whether the condition holds before the time is over. */
  async until(holds: () => boolean, timeoutMs: number = HANG_MS): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (!holds()) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = (): void => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }

  /** @returns whether the connection is closed in time */
  async end(ending: Ending): Promise<boolean> {
    if (ending === 'half-close') this.socket.end();
    else if (ending === 'reset' && !(this.socket instanceof TLSSocket)) {
      this.socket.resetAndDestroy();
    } else this.socket.destroy();
    return await this.until(() => this.isClosed);
  }
}

/** Sends inputs of HTTP/1.1, and reads what comes. */
export async function runRaw(
  target: PortTarget,
  tls: boolean,
  { inputs, cuts, ending }: RawExchange,
): Promise<Outcome> {
  const reader = new AnswerReader(inputs.map(({ method }) => method));
  let problem: string | undefined;
  const wire = new Wire(target, tls ? 'http/1.1' : undefined, (piece) => {
    try {
      reader.push(piece);
    } catch (error) {
      problem ??= String(error);
    }
  });
  const whole = inputs.filter(({ isAnswered }) => isAnswered);
  const odd = inputs.find(({ isAnswered }) => !isAnswered);
  await sendCut(wire, Buffer.concat(whole.map(({ bytes }) => bytes)), cuts);
  const enough = (): boolean => wire.isClosed || reader.answers.length >= whole.length;
  if (!(await wire.until(enough))) {
    problem ??= `no answer to ${whole[reader.answers.length]?.bytes.toString('latin1', 0, 500)}`;
  } else if (reader.answers.length < whole.length && !wire.isStarved(reader.answers.length)) {
    problem ??= `${wire.describe()} and ${reader.answers.length} answers, before the answer to ${whole[reader.answers.length]?.bytes.toString('latin1', 0, 500)}`;
  }
  if (odd !== undefined && !wire.isClosed) {
    await sendCut(wire, odd.bytes, cuts);
    const answered = (): boolean =>
      wire.isClosed || reader.isWithinBody || reader.answers.length > whole.length;
    await wire.until(answered, PATIENCE_MS);
  }
  if (!(await wire.end(ending))) {
    problem ??= `did not close after the ${ending} of the client`;
    wire.socket.destroy();
  }
  reader.end();
  const { answers } = reader;
  for (const { status, body } of answers) {
    if (status < 500 || isKnownFailure(status, body) || isExpected(status, body)) continue;
    problem ??= `answered ${status}: ${body.slice(0, 500)}`;
  }
  return { statuses: answers.map(({ status }) => status), problem };
}

/** Answers of a proxy or of the log of a pod that no node runs; `Node` answers 505 to another version of HTTP by itself. */
function isExpected(status: number, body: string): boolean {
  return status === 503 && /no route to host|no node|unable to|error trying to reach/.test(body);
}

async function sendCut(wire: Wire, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  let from = 0;
  for (const at of [...cuts, bytes.length]) {
    if (at <= from && at !== bytes.length) continue;
    if (wire.isClosed) return;
    wire.socket.write(bytes.subarray(from, at));
    from = at;
    if (at < bytes.length) await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** Sends frames of HTTP/2, and reads what comes. */
export async function runHttp2(
  target: PortTarget,
  { bytes, answered, ending, names }: Http2Exchange,
): Promise<Outcome> {
  const frames = new FrameReader();
  const open = new Set(answered.keys());
  const failed = new Map<number, Buffer[]>();
  /** Streams whose answer has ended. One that is cut before its body does not say why it failed. */
  const whole = new Set<number>();
  const statuses: number[] = [];
  let isGreeted = false;
  const wire = new Wire(target, 'h2', (piece) => {
    for (const { type, flags, stream, payload } of frames.push(piece)) {
      if (type === frameType.settings && (flags & 1) === 0 && !isGreeted) {
        isGreeted = true;
        wire.socket.write(frame(frameType.settings, 1, 0));
      }
      if (type === frameType.headers) {
        statuses.push(isStatus500(payload) ? 500 : 2);
        if (isStatus500(payload)) failed.set(stream, []);
      }
      if (type === frameType.data) failed.get(stream)?.push(payload);
      const ended = type <= frameType.headers && (flags & END_STREAM) !== 0;
      if (ended) whole.add(stream);
      if (ended || type === frameType.rstStream) open.delete(stream);
    }
  });
  wire.socket.write(bytes);
  let problem: string | undefined;
  const first = (): string => {
    const [stream = 0] = open;
    const { method, url } = answered.get(stream) ?? {};
    return `${method} ${url} on stream ${stream}`;
  };
  if (!(await wire.until(() => wire.isClosed || open.size === 0))) {
    problem = `HTTP/2: no answer to ${first()}`;
  } else if (open.size > 0 && !wire.isStarved(statuses.length)) {
    problem = `HTTP/2: ${wire.describe()} before the answer to ${first()}`;
  }
  if (names.length > 0) await wire.until(() => wire.isClosed, PATIENCE_MS);
  if (!(await wire.end(ending))) {
    problem ??= `HTTP/2: did not close after the ${ending} of the client: ${names.join(', ')}`;
    wire.socket.destroy();
  }
  for (const [stream, pieces] of failed) {
    const body = Buffer.concat(pieces).toString();
    if (!whole.has(stream) || isKnownFailure(500, body)) continue;
    const { method, url } = answered.get(stream) ?? {};
    problem ??= `HTTP/2: answered 500 to ${method} ${url}: ${body.slice(0, 500)}`;
  }
  return { statuses, problem };
}
