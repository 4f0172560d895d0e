import { deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import { isStatus } from '../../../meta/failure/status.ts';
import { FrameSplitter } from '../../../client/transport/body/frame-splitter.ts';
import { countOf, sizeText, timeText } from '../../terminal/shown-text.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { collectionPath } from './collection-path.ts';

/** Enough to measure how fast the server streams. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A server sends a bookmark about two seconds before it ends a watch. */
const SHORT_WATCH_SECONDS = 5;

/** The type of an event comes first. */
const TYPE_BYTES = 64;

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

interface Seen {
  /** Until the headers arrived, milliseconds. */
  openedMs: number;
  /** Until the end of the initial events, or the first bookmark; undefined when it did not come. */
  bookmarkMs: number | undefined;
  initialEventsEnd: boolean;
  events: number;
  bytes: number;
  tookMs: number;
}

/** Watches a resource until its initial state has arrived, or the first bookmark, and measures it. */
export function watchResourceStep(name: string): Step {
  return {
    id: `watch/${name}`,
    title: `watch ${name}`,
    needs: [`permission/${name}`],
    async run(context: DoctorContext): Promise<Outcome> {
      const { findings, options } = context;
      const path = `${collectionPath(findings.served(name), options.namespace)}?watch=true&allowWatchBookmarks=true`;
      const streamed = await streamedList(context, path);
      const seen = streamed ?? (await plainWatch(context, path));
      findings.watchList = streamed?.initialEventsEnd ?? false;
      findings.bookmarks = seen.bookmarkMs !== undefined || (findings.bookmarks ?? false);
      return outcomeOf(seen, streamed !== undefined);
    },
  };
}

/** A watch that begins with the whole list. Undefined when the server does not know such watches. */
async function streamedList(context: DoctorContext, path: string): Promise<Seen | undefined> {
  const query = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=60';
  try {
    return await read(context, path + query);
  } catch (error) {
    // Older servers forbid the option, or do not know it.
    if (isListwatchError(error, 'INVALID') || isListwatchError(error, 'BAD_REQUEST'))
      return undefined;
    throw error;
  }
}

async function plainWatch(context: DoctorContext, path: string): Promise<Seen> {
  return await read(context, `${path}&timeoutSeconds=${SHORT_WATCH_SECONDS}`);
}

async function read({ findings, runtime, signal }: DoctorContext, path: string): Promise<Seen> {
  using abort: DerivedAbort = deriveAbort(signal);
  const startedMs = runtime.monotonicMs();
  const elapsed = (): number => runtime.monotonicMs() - startedMs;
  try {
    const { body } = await findings.opened.stream(path, abort.signal);
    const seen: Seen = {
      openedMs: elapsed(),
      bookmarkMs: undefined,
      initialEventsEnd: false,
      events: 0,
      bytes: 0,
      tookMs: 0,
    };
    const splitter = new FrameSplitter();
    const onFrame = (bytes: Buffer, start: number, end: number): void =>
      takeFrame(bytes, start, end, seen, elapsed());
    const isDone = (): boolean => seen.bookmarkMs !== undefined || seen.bytes > MOST_BYTES;
    for await (const piece of body) {
      seen.bytes += piece.length;
      splitter.push(piece, onFrame);
      if (isDone()) break;
    }
    if (!isDone()) splitter.end(onFrame);
    seen.tookMs = elapsed();
    return seen;
  } finally {
    abort.abort();
  }
}

/** Objects are counted, not decoded. */
function takeFrame(bytes: Buffer, start: number, end: number, seen: Seen, nowMs: number): void {
  const beginning = bytes.toString('utf8', start, Math.min(end, start + TYPE_BYTES));
  const type = /^\s*\{\s*"type"\s*:\s*"([A-Z]+)"/.exec(beginning)?.[1];
  if (type === 'ADDED') {
    seen.events += 1;
    return;
  }
  const { type: known, object } = parsed(bytes.toString('utf8', start, end));
  if (known === 'ERROR') {
    throw isStatus(object) ? new ApiError(object) : malformed('an ERROR event without a Status');
  }
  if (known !== 'BOOKMARK') {
    seen.events += 1;
    return;
  }
  const { metadata } = (object ?? {}) as {
    metadata?: { annotations?: Readonly<Record<string, string>> };
  };
  seen.bookmarkMs ??= nowMs;
  seen.initialEventsEnd ||= metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
}

function parsed(frame: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    const event: unknown = JSON.parse(frame);
    if (typeof event === 'object' && event !== null) return event;
  } catch {
    // The message of the parser quotes the text, which may be a Secret.
  }
  throw malformed('a line that is no watch event');
}

function malformed(what: string): ListwatchError {
  return new ListwatchError(
    'MALFORMED_FRAME',
    `the watch brought ${what}; check what answers between here and the API server`,
  );
}

function outcomeOf(seen: Seen, streamed: boolean): Outcome {
  const { openedMs, bookmarkMs, initialEventsEnd, events, bytes, tookMs } = seen;
  const bytesPerSecond = tookMs > 0 ? Math.round((bytes / tookMs) * 1000) : 0;
  const data = { ...seen, bytesPerSecond, streamedList: initialEventsEnd };
  const opened = `opened in ${timeText(openedMs)}`;
  const rate = `${countOf(events, 'event')}, ${sizeText(bytes)}, ${sizeText(bytesPerSecond)}/s`;
  if (initialEventsEnd && bookmarkMs !== undefined) {
    return {
      status: 'ok',
      detail: `${opened}, initial state after ${timeText(bookmarkMs)}: ${rate}`,
      data,
    };
  }
  if (bytes > MOST_BYTES) {
    return {
      status: 'ok',
      detail: `${opened}, reading ended after ${sizeText(bytes)}: ${rate}`,
      data,
    };
  }
  const lists = streamed
    ? 'the server ignores sendInitialEvents'
    : 'the server does not stream lists';
  if (bookmarkMs !== undefined) {
    return {
      status: 'ok',
      detail: `${opened}, first bookmark after ${timeText(bookmarkMs)}; ${lists}`,
      data,
    };
  }
  return {
    status: 'warning',
    detail: `${opened}, and it brought no bookmark; ${lists}`,
    remedy: 'expect more relists: without bookmarks a quiet watch cannot resume after a long pause',
    data,
  };
}
