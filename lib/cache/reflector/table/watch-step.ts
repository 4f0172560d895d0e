import type {
  Pace,
  ReflectorEffect,
  ReflectorInput,
  ReflectorMemory,
  ReflectorStep,
  StreamLife,
  WatchingState,
} from './reflector-state.ts';
import {
  backOff,
  fail,
  impossible,
  move,
  REPORT,
  RESET_BACKOFF,
  startRound,
  startWatch,
  VERY_SHORT_WATCH_MS,
  waitFor,
} from './step-moves.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';

/** Watches lost in a row before a request checks whether the server answers, and, if it did, before a list. */
export const MOST_LOST_WATCHES = 3;

/** Watches in a row that end within a second, though with events, before that is reported. */
export const MOST_HASTY_WATCHES = 5;

/** A shorter watch without an event counts as ended at once. Two watches are never requested within a shorter time. */
export const AT_ONCE_MS = 200;

type Ended = Extract<ReflectorInput, { type: 'stream-ended' }>;
type Failed = Extract<ReflectorInput, { type: 'watch-refused' | 'stream-failed' }>;

const NOTHING: readonly ReflectorEffect[] = [];
const REPORT_SHORT: ReflectorEffect = { type: 'report', code: 'VERY_SHORT_WATCH' };

/** The rows of the table for a watch. */
export function fromWatching(state: WatchingState, input: ReflectorInput): ReflectorStep {
  switch (input.type) {
    case 'progress':
      return fromProgress(state, input.resourceVersion);
    case 'stream-ended':
      return fromStreamEnd(state, input);
    case 'watch-refused':
      return fromFailure(state, input, `the watch was refused: ${input.failure.message}`);
    case 'stream-failed':
      return fromFailure(state, input, `the watch failed: ${input.failure.message}`);
    default:
      return impossible(state, input);
  }
}

function fromProgress(state: WatchingState, resourceVersion: string): ReflectorStep {
  const { memory } = state;
  const seen = memory.resourceVersion;
  const goesOn =
    resourceVersion !== '' && resourceVersion !== seen && !isOlder(resourceVersion, seen);
  const next: ReflectorMemory =
    goesOn || memory.expiredLists > 0
      ? { ...memory, resourceVersion: goesOn ? resourceVersion : seen, expiredLists: 0 }
      : memory;
  const unordered = state.unordered && resourceVersion === '';
  return {
    state: { ...state, memory: next, unordered, lost: 0, answered: false, fresh: false },
    effects: NOTHING,
    reason: 'events came',
  };
}

function fromStreamEnd(state: WatchingState, input: Ended): ReflectorStep {
  const { durationMs, events } = input;
  if (durationMs >= VERY_SHORT_WATCH_MS) return reopen(state, input, 'the watch ended');
  if (events === 0) {
    const reason = 'the watch ended within a second without an event';
    return isServed(input)
      ? reopen(state, input, reason, 0, REPORT_SHORT)
      : fromLost(state, 'reopen', reason, REPORT_SHORT);
  }
  const hasty = state.hasty + 1;
  if (hasty < MOST_HASTY_WATCHES) return reopen(state, input, 'the watch ended', hasty);
  const reason = `the last ${hasty} watches ended within a second`;
  return waitFor('retry', startWatch(state.memory), 0, reason, RESET_BACKOFF, REPORT_SHORT);
}

/** The server has accepted a watch, so watches work. */
function isServed({ durationMs, events }: StreamLife): boolean {
  return events > 0 || durationMs >= AT_ONCE_MS;
}

/** Continues at the version where a watch has ended: at once, unless that would be too often. */
function reopen(
  { memory }: WatchingState,
  { durationMs }: StreamLife,
  reason: string,
  hasty: number = 0,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  const next = { ...startWatch(memory), hasty };
  return durationMs < AT_ONCE_MS
    ? waitFor('none', next, AT_ONCE_MS - durationMs, reason, RESET_BACKOFF, ...effects)
    : move(next, reason, RESET_BACKOFF, ...effects);
}

function fromFailure(state: WatchingState, input: Failed, reason: string): ReflectorStep {
  const { memory, fresh, answered } = state;
  const { kind, retryAfterMs } = input.failure;
  const streamed = input.type === 'stream-failed';
  const again: WatchingState = { ...startWatch(memory), fresh, answered };
  const recovered = streamed && (input.events > 0 || input.durationMs > input.delayMs);
  const effects = recovered ? [RESET_BACKOFF, REPORT] : [REPORT];
  switch (kind) {
    case 'connection-refused':
    case 'too-many-requests':
      return backOff(again, retryAfterMs, reason, ...effects);
    case 'connection-lost':
      if (!streamed) return fromLost(state, 'retry', reason, REPORT);
      return isServed(input)
        ? reopen(state, input, reason, 0, REPORT)
        : fromLost(state, 'reopen', reason, REPORT);
    case 'unavailable':
      // A server that sends a time to retry will answer then; without it, the server may be unable to serve this watch.
      return retryAfterMs > 0
        ? backOff(again, retryAfterMs, reason, ...effects)
        : fromLost(state, 'retry', reason, ...effects);
    case 'internal':
      if (input.retryInternal !== true) break;
      return backOff(again, retryAfterMs, reason, ...effects);
    case 'expired':
    case 'gone': {
      const expiredLists = fresh ? memory.expiredLists + 1 : memory.expiredLists;
      return backOff(startRound({ ...memory, expiredLists }), retryAfterMs, reason, ...effects);
    }
    case 'too-large':
      return backOff(
        startRound({ ...memory, unavailable: true }),
        retryAfterMs,
        reason,
        ...effects,
      );
    case 'unsupported':
      if (!streamed) return fail(startRound(memory), input.failure, reason);
      break;
    case 'went-back':
    case 'invalid':
    case 'bookmark-overdue':
    case 'other':
      break;
  }
  return backOff(startRound(memory), retryAfterMs, reason, ...effects);
}

/**
 * Another attempt after a wait. After some attempts a request checks whether the server answers. If it does, and watches are
 * lost again, the collection is listed.
 */
function fromLost(
  { memory, fresh, answered, lost: before }: WatchingState,
  pace: Pace,
  reason: string,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  const lost = before + 1;
  if (lost <= MOST_LOST_WATCHES)
    return waitFor(pace, { ...startWatch(memory), lost, answered, fresh }, 0, reason, ...effects);
  return answered
    ? backOff(startRound(memory), 0, reason, ...effects)
    : waitFor(pace, { name: 'probing', memory, fresh }, 0, reason, ...effects);
}
