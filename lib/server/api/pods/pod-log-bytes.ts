import { abortable } from '../../../kernel/time/abort.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { badRequest } from '../../../meta/failure/failures.ts';

/**
 * A line without its newline. Without a time it has that of the creation of its pod among the lines that were printed before,
 * and the present time among those that follow.
 */
export type PodLogLine =
  | string
  | { readonly text: string /** Milliseconds since 1970. */; readonly timeMs: number };

/** The log of a container. */
export interface PodLog {
  /** Its output so far. */
  readonly lines: readonly PodLogLine[];
  /** Its output from now on; read only for a client that follows. The end is that of the container. */
  readonly live?: AsyncIterable<PodLogLine> | undefined;
}

export interface PodLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly sinceSeconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly sinceMs: number | undefined;
}

/** The options of a request, whose numbers were checked before. @throws {ApiError} 400 for a time that cannot be read. */
export function logOptions(query: URLSearchParams): PodLogOptions {
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    return text === null ? undefined : Number(text);
  };
  const since = query.get('sinceTime');
  const sinceMs = since === null ? undefined : Date.parse(since);
  if (Number.isNaN(sinceMs))
    throw badRequest(`parsing time ${JSON.stringify(since)}: not RFC 3339`);
  return {
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    sinceSeconds: number('sinceSeconds'),
    sinceMs,
  };
}

/** Whether a flag is set; a flag without a value is. */
export function flag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== 'false' && text !== '0';
}

interface LogTimes {
  readonly runtime: Pick<Runtime, 'wallMs'>;
  /** The creation of the pod, milliseconds since 1970. */
  readonly createdMs: number;
}

/** A log as a client asked for it: with `follow` a stream, otherwise whole. */
export function logBytes(
  content: string | readonly PodLogLine[] | PodLog,
  options: PodLogOptions,
  { runtime, createdMs }: LogTimes,
): Uint8Array | AsyncIterable<Uint8Array> {
  const { lines, live } = logOf(content);
  const { sinceMs = -Infinity, sinceSeconds = Infinity, tailLines, timestamps } = options;
  const fromMs = Math.max(sinceMs, runtime.wallMs() - sinceSeconds * 1000);
  const recent = lines.filter((line) => timeOf(line, createdMs) >= fromMs);
  const first = tailLines === undefined ? 0 : Math.max(0, recent.length - tailLines);
  const shown = recent.slice(first).map((line) => shownLine(line, timestamps, createdMs));
  const past = Buffer.from(shown.join(''));
  const limit = options.limitBytes ?? Infinity;
  if (!options.follow || live === undefined || past.length >= limit) {
    return past.subarray(0, limit);
  }
  return followed({
    past,
    live,
    limit,
    shown: (line) => shownLine(line, timestamps, runtime.wallMs()),
  });
}

interface FollowedOptions {
  readonly past: Uint8Array;
  readonly live: AsyncIterable<PodLogLine>;
  readonly limit: number;
  readonly shown: (line: PodLogLine) => string;
}

const DONE = { done: true, value: undefined } as const;

/** The past, and then each line as it comes. `return` ends it at once, also while the container prints nothing. */
function followed({ past, live, limit, shown }: FollowedOptions): AsyncIterable<Uint8Array> {
  const source = live[Symbol.asyncIterator]();
  const left = new AbortController();
  let room = limit;
  let first = past.length > 0;
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    if (room <= 0 || left.signal.aborted) return DONE;
    let bytes = past;
    if (!first) {
      const line = await abortable(source.next(), left.signal);
      if (line.done === true) return DONE;
      bytes = Buffer.from(shown(line.value));
    }
    first = false;
    const piece = bytes.subarray(0, room);
    room -= bytes.length;
    if (room <= 0) leave(source);
    return { done: false, value: piece };
  };
  const end = (): Promise<IteratorResult<Uint8Array, undefined>> => {
    left.abort();
    leave(source);
    return Promise.resolve(DONE);
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => next().catch((error: unknown) => (left.signal.aborted ? DONE : rethrow(error))),
      return: end,
    }),
  };
}

function rethrow(error: unknown): never {
  throw error;
}

/** The result of `return` is not awaited, because a busy source settles it only when it is done. */
function leave(source: AsyncIterator<PodLogLine>): void {
  source.return?.().catch(() => {});
}

/** A text ends with a newline or not; both have the same lines. */
function logOf(content: string | readonly PodLogLine[] | PodLog): PodLog {
  if (typeof content !== 'string') return 'lines' in content ? content : { lines: content };
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { lines };
}

function timeOf(line: PodLogLine, otherwiseMs: number): number {
  return typeof line === 'string' ? otherwiseMs : line.timeMs;
}

function shownLine(line: PodLogLine, timestamps: boolean, otherwiseMs: number): string {
  const text = typeof line === 'string' ? line : line.text;
  if (!timestamps) return `${text}\n`;
  // With nanoseconds, as a kubelet writes it.
  const time = new Date(timeOf(line, otherwiseMs)).toISOString().replace('Z', '000000Z');
  return `${time} ${text}\n`;
}
