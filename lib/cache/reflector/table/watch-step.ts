import type {
  ReflectorEffect,
  ReflectorInput,
  ReflectorMemory,
  ReflectorStep,
  WatchingState,
} from './reflector-state.ts';
import {
  backOff,
  impossible,
  move,
  REPORT,
  startRound,
  startWatch,
  VERY_SHORT_WATCH_MS,
} from './step-moves.ts';
import { isOlder } from '../../../meta/version-order.ts';

/** Watches lost in a row before a list takes the place of another attempt. */
export const MOST_LOST_WATCHES = 3;

/** Watches in a row that end within a second, though with events, before the next one has to wait. */
export const MOST_HASTY_WATCHES = 5;

type Failed = Extract<ReflectorInput, { type: 'watch-refused' | 'stream-failed' }>;

const NOTHING: readonly ReflectorEffect[] = [];

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
    goesOn || memory.futileLists > 0
      ? { ...memory, resourceVersion: goesOn ? resourceVersion : seen, futileLists: 0 }
      : memory;
  const unordered = state.unordered && resourceVersion === '';
  return {
    state: { ...state, memory: next, unordered, lost: 0, fresh: false },
    effects: NOTHING,
    reason: 'events came',
  };
}

function fromStreamEnd(
  state: WatchingState,
  { durationMs, events }: Extract<ReflectorInput, { type: 'stream-ended' }>,
): ReflectorStep {
  const { memory } = state;
  if (durationMs >= VERY_SHORT_WATCH_MS) return move(startWatch(memory), 'the watch ended');
  if (events === 0) {
    const reason = 'the watch ended within a second without an event';
    return backOff(startRound(memory), 0, reason, { type: 'report', code: 'VERY_SHORT_WATCH' });
  }
  const hasty = state.hasty + 1;
  if (hasty < MOST_HASTY_WATCHES) return move({ ...startWatch(memory), hasty }, 'the watch ended');
  const reason = `the last ${hasty} watches ended within a second`;
  return backOff(startWatch(memory), 0, reason, { type: 'report', code: 'VERY_SHORT_WATCH' });
}

function fromFailure(state: WatchingState, input: Failed, reason: string): ReflectorStep {
  const { memory, fresh } = state;
  const { kind, retryAfterMs } = input.failure;
  const again: WatchingState = { ...startWatch(memory), fresh };
  switch (kind) {
    case 'connection-refused':
    case 'too-many-requests':
      return backOff(again, retryAfterMs, reason, REPORT);
    case 'connection-lost': {
      const lived = input.type === 'stream-failed' && input.durationMs >= VERY_SHORT_WATCH_MS;
      return lived ? move(startWatch(memory), reason, REPORT) : fromLost(state, reason);
    }
    case 'unavailable':
      // A server that says when to come back will be there; without a word it may be the watch alone that it cannot serve.
      return retryAfterMs > 0
        ? backOff(again, retryAfterMs, reason, REPORT)
        : fromLost(state, reason);
    case 'internal':
      if (input.retryInternal !== true) break;
      return backOff(again, retryAfterMs, reason, REPORT);
    case 'expired':
    case 'gone': {
      const futileLists = fresh ? memory.futileLists + 1 : memory.futileLists;
      return backOff(startRound({ ...memory, futileLists }), retryAfterMs, reason, REPORT);
    }
    case 'too-large':
      return backOff(startRound({ ...memory, unavailable: true }), retryAfterMs, reason, REPORT);
    case 'went-back':
    case 'invalid':
    case 'bookmark-overdue':
    case 'other':
      break;
  }
  return backOff(startRound(memory), retryAfterMs, reason, REPORT);
}

/** Another attempt after a while, or a new round once there were enough. */
function fromLost(state: WatchingState, reason: string): ReflectorStep {
  const { memory, fresh } = state;
  const lost = state.lost + 1;
  const next =
    lost <= MOST_LOST_WATCHES ? { ...startWatch(memory), lost, fresh } : startRound(memory);
  return backOff(next, 0, reason, REPORT);
}
