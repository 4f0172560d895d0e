import type {
  ReflectorEffect,
  ReflectorInput,
  ReflectorMemory,
  ReflectorStep,
  StreamingListState,
} from './reflector-state.ts';
import {
  backOff,
  CLOSE,
  impossible,
  move,
  REPORT,
  REPORT_WENT_BACK,
  startList,
  startWatch,
  VERY_SHORT_WATCH_MS,
} from './step-moves.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { Failure } from '../failure/watch-error.ts';

/** The number of streaming lists that may end without their end bookmark before a plain list replaces them. */
export const MOST_INCOMPLETE_STREAMS = 3;

/** The rows of the table for a streaming list. */
export function fromStreamingList(state: StreamingListState, input: ReflectorInput): ReflectorStep {
  switch (input.type) {
    case 'progress':
      return move(state, 'initial events came');
    case 'initial-events-end':
      return fromEnd(state, input.resourceVersion);
    case 'watch-refused':
    case 'stream-failed':
      return fromFailure(state, input.failure);
    case 'stream-ended': {
      if (input.events === 0 && input.durationMs < VERY_SHORT_WATCH_MS) {
        const reason = 'the streaming list ended at once and empty';
        return move(startList(state.memory), reason, { type: 'report', code: 'VERY_SHORT_WATCH' });
      }
      const reason = 'the streaming list ended without its end bookmark';
      const report = { type: 'report', code: 'WATCH_LIST_INCOMPLETE' } as const;
      return fromIncomplete(state, reason, 0, true, report);
    }
    default:
      return impossible(state, input);
  }
}

function fromEnd(state: StreamingListState, resourceVersion: string): ReflectorStep {
  const seen = state.memory.resourceVersion;
  const older = isOlder(resourceVersion, seen);
  if (older && !state.memory.unavailable) {
    const reason = `the streaming list is at resource version ${resourceVersion}, behind ${seen} that was seen`;
    const memory = { ...state.memory, unavailable: true };
    return move({ ...state, memory }, reason, CLOSE, REPORT_WENT_BACK);
  }
  const memory: ReflectorMemory = { ...state.memory, resourceVersion, unavailable: false };
  const reason = `the streaming list is complete${older ? `, back from ${seen}` : ''}`;
  return move({ ...startWatch(memory), unordered: false }, reason, {
    type: 'replace',
    resourceVersion,
  });
}

function fromFailure(state: StreamingListState, failure: Failure): ReflectorStep {
  const { memory } = state;
  const { kind, message, retryAfterMs } = failure;
  const reason = `the streaming list failed: ${message}`;
  switch (kind) {
    case 'connection-refused':
    case 'too-many-requests':
      return backOff(state, retryAfterMs, reason, REPORT);
    case 'connection-lost':
    case 'unavailable':
      return fromIncomplete(state, reason, retryAfterMs, false, REPORT);
    case 'bookmark-overdue':
    case 'invalid':
      return move(startList({ ...memory, watchListUnusable: true }), reason, CLOSE, REPORT);
    case 'expired':
    case 'gone':
    case 'too-large':
      if (memory.resourceVersion === '' || memory.unavailable) break;
      return move({ ...state, memory: { ...memory, unavailable: true } }, reason, REPORT);
    case 'internal':
    case 'unsupported':
    case 'went-back':
    case 'other':
      break;
  }
  return move(startList(memory), reason, REPORT);
}

/** Another attempt after a wait, or a list after enough attempts. */
function fromIncomplete(
  state: StreamingListState,
  reason: string,
  retryAfterMs: number,
  blamesServer: boolean,
  report: ReflectorEffect,
): ReflectorStep {
  const incomplete = state.incomplete + 1;
  if (incomplete < MOST_INCOMPLETE_STREAMS)
    return backOff({ ...state, incomplete }, retryAfterMs, reason, report);
  const watchListUnusable = state.memory.watchListUnusable || blamesServer;
  const list = startList({ ...state.memory, watchListUnusable });
  return retryAfterMs > 0
    ? backOff(list, retryAfterMs, reason, report)
    : move(list, reason, report);
}
