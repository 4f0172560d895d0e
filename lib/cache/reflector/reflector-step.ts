import { ListwatchError } from '../../kernel/errors.ts';
import type {
  BackingOffState,
  ListingState,
  ReflectorEffect,
  ReflectorInput,
  ReflectorMemory,
  ReflectorState,
  ReflectorStep,
  StreamingListState,
  WatchingState,
} from './reflector-state.ts';
import type { Failure } from './watch-error.ts';

/** Page size when the server may have to read its storage (client-go tools/pager/pager.go defaultPageSize @ 32ce75a7). */
export const DEFAULT_PAGE_SIZE = 500;

/** A shorter watch without an event is a failure (client-go reflector.go handleAnyWatch @ 32ce75a7). */
export const VERY_SHORT_WATCH_MS = 1000;

/** Streaming lists that may end without their end bookmark before a plain list takes their place. */
export const MOST_INCOMPLETE_STREAMS = 3;

/** Watches lost in a row before a list takes the place of another attempt. */
export const MOST_LOST_WATCHES = 3;

/** Watches in a row that end within a second, though with events, before the next one has to wait. */
export const MOST_HASTY_WATCHES = 5;

/**
 * The reflector as a table: what happens in a state on an input. It is a pure function; the driver performs what the state
 * it returns waits for, and the effects.
 *
 * @throws {ListwatchError} code ASSERTION for an input that cannot occur in the state.
 * @see client-go tools/cache/reflector.go ListAndWatch, list, watchList, watch @ 32ce75a7
 */
export function step(state: ReflectorState, input: ReflectorInput): ReflectorStep {
  if (input.type === 'abort') {
    return {
      state: { name: 'stopped', memory: state.memory },
      effects: [CLOSE],
      reason: 'aborted',
    };
  }
  if (input.type === 'sink-failed') return fromSinkFailure(state, input.failure);
  switch (state.name) {
    case 'idle':
    case 'stopped':
      if (input.type === 'start') return move(startRound(state.memory), 'started');
      break;
    case 'listing':
      if (input.type === 'page') return fromPage(state, input);
      if (input.type === 'list-failed') return fromListFailure(state, input.failure);
      break;
    case 'streaming-list':
      return fromStreamingList(state, input);
    case 'watching':
      return fromWatching(state, input);
    case 'backing-off':
      if (input.type === 'waited') return move(state.next, 'waited');
      break;
  }
  return impossible(state, input);
}

const CLOSE: ReflectorEffect = { type: 'close-stream' };
const REPORT: ReflectorEffect = { type: 'report' };
const KEEP_PAGE: ReflectorEffect = { type: 'keep-page' };

function move(
  state: ReflectorState,
  reason: string,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  return { state, effects, reason };
}

function impossible(state: ReflectorState, input: ReflectorInput): never {
  throw new ListwatchError('ASSERTION', `a reflector that is ${state.name} got "${input.type}"`);
}

/** A round ends in a watch; it begins with a streaming list where that works, otherwise with a list. */
function startRound(memory: ReflectorMemory): StreamingListState | ListingState {
  const streams = memory.settings.watchList && !memory.watchListUnusable;
  return streams ? { name: 'streaming-list', memory, incomplete: 0 } : startList(memory);
}

/** Never back in time: any state at first, afterwards nothing older than what was seen, the most recent after a refusal. */
function startList(memory: ReflectorMemory): ListingState {
  const known = memory.resourceVersion === '' ? '0' : memory.resourceVersion;
  const resourceVersion = memory.unavailable ? '' : known;
  return {
    name: 'listing',
    memory,
    resourceVersion,
    limit: pageLimit(memory, resourceVersion),
    whole: false,
  };
}

/** A limit together with a concrete version makes the server read its storage, where its cache could answer. */
function pageLimit({ settings, paged }: ReflectorMemory, resourceVersion: string): number {
  if (settings.pageSize !== undefined) return settings.pageSize;
  return paged || resourceVersion === '' || resourceVersion === '0' ? DEFAULT_PAGE_SIZE : 0;
}

function startWatch(memory: ReflectorMemory): WatchingState {
  const { resourceVersion } = memory;
  const unordered = resourceVersion === '' || resourceVersion === '0';
  return { name: 'watching', memory, unordered, lost: 0, hasty: 0 };
}

function backOff(
  next: BackingOffState['next'],
  retryAfterMs: number,
  reason: string,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  return move({ name: 'backing-off', memory: next.memory, next, retryAfterMs }, reason, ...effects);
}

function fromSinkFailure(state: ReflectorState, { message }: Failure): ReflectorStep {
  return backOff(startRound(state.memory), 0, `the sink failed: ${message}`, CLOSE, REPORT);
}

function fromPage(
  state: ListingState,
  input: Extract<ReflectorInput, { type: 'page' }>,
): ReflectorStep {
  const { memory } = state;
  const listedVersion = state.listedVersion ?? input.resourceVersion;
  if (input.continueToken !== undefined && input.continueToken !== '') {
    const { continueToken } = input;
    return move({ ...state, listedVersion, continueToken }, 'a page was listed', KEEP_PAGE);
  }
  const inPages = state.whole || state.continueToken !== undefined;
  const listed: ReflectorMemory = {
    ...memory,
    resourceVersion: listedVersion,
    unavailable: false,
    paged: memory.paged || (inPages && state.resourceVersion === '0'),
  };
  return move(startWatch(listed), 'listed', KEEP_PAGE, {
    type: 'replace',
    resourceVersion: listedVersion,
  });
}

function fromListFailure(state: ListingState, failure: Failure): ReflectorStep {
  const { memory, resourceVersion, limit } = state;
  const { kind, message, retryAfterMs } = failure;
  if (kind === 'expired' && state.continueToken !== undefined) {
    const again: ListingState = { name: 'listing', memory, resourceVersion, limit, whole: true };
    return move(again, `the continue token expired: ${message}`, REPORT);
  }
  const refused = kind === 'expired' || kind === 'gone' || kind === 'too-large';
  if (refused && resourceVersion !== '') {
    const latest: ListingState = {
      name: 'listing',
      memory: { ...memory, unavailable: true },
      resourceVersion: '',
      limit,
      whole: false,
    };
    return move(latest, `resource version ${resourceVersion} was refused: ${message}`, REPORT);
  }
  return backOff(startRound(memory), retryAfterMs, `the list failed: ${message}`, REPORT);
}

function fromStreamingList(state: StreamingListState, input: ReflectorInput): ReflectorStep {
  switch (input.type) {
    case 'progress':
      return move(state, 'initial events came');
    case 'initial-events-end': {
      const { resourceVersion } = input;
      const memory: ReflectorMemory = { ...state.memory, resourceVersion, unavailable: false };
      return move({ ...startWatch(memory), unordered: false }, 'the streaming list is complete', {
        type: 'replace',
        resourceVersion,
      });
    }
    case 'watch-refused':
    case 'stream-failed':
      return fromStreamingFailure(state, input.failure);
    case 'stream-ended': {
      if (input.events === 0 && input.durationMs < VERY_SHORT_WATCH_MS) {
        const reason = 'the streaming list ended at once and empty';
        return move(startList(state.memory), reason, { type: 'report', code: 'VERY_SHORT_WATCH' });
      }
      const reason = 'the streaming list ended without its end bookmark';
      return fromIncomplete(state, reason, true, { type: 'report', code: 'WATCH_LIST_INCOMPLETE' });
    }
    default:
      return impossible(state, input);
  }
}

function fromStreamingFailure(state: StreamingListState, failure: Failure): ReflectorStep {
  const { memory } = state;
  const { kind, message, retryAfterMs } = failure;
  const reason = `the streaming list failed: ${message}`;
  switch (kind) {
    case 'connection-refused':
    case 'too-many-requests':
      return backOff(state, retryAfterMs, reason, REPORT);
    case 'connection-lost':
      return fromIncomplete(state, reason, false, REPORT);
    case 'bookmark-overdue':
    case 'invalid':
      return move(startList({ ...memory, watchListUnusable: true }), reason, CLOSE, REPORT);
    case 'expired':
    case 'gone':
    case 'too-large':
      if (memory.resourceVersion === '' || memory.unavailable) break;
      return move({ ...state, memory: { ...memory, unavailable: true } }, reason, REPORT);
    case 'other':
      break;
  }
  return move(startList(memory), reason, REPORT);
}

/** Another attempt after a while, or a list once there were enough. */
function fromIncomplete(
  state: StreamingListState,
  reason: string,
  blamesServer: boolean,
  report: ReflectorEffect,
): ReflectorStep {
  const incomplete = state.incomplete + 1;
  if (incomplete < MOST_INCOMPLETE_STREAMS)
    return backOff({ ...state, incomplete }, 0, reason, report);
  const watchListUnusable = state.memory.watchListUnusable || blamesServer;
  return move(startList({ ...state.memory, watchListUnusable }), reason, report);
}

function fromWatching(state: WatchingState, input: ReflectorInput): ReflectorStep {
  switch (input.type) {
    case 'progress':
      return fromProgress(state, input.resourceVersion);
    case 'stream-ended':
      return fromStreamEnd(state, input);
    case 'watch-refused':
      return fromWatchFailure(
        state,
        input.failure,
        `the watch was refused: ${input.failure.message}`,
        0,
      );
    case 'stream-failed':
      return fromWatchFailure(
        state,
        input.failure,
        `the watch failed: ${input.failure.message}`,
        input.durationMs,
      );
    default:
      return impossible(state, input);
  }
}

function fromProgress(state: WatchingState, resourceVersion: string): ReflectorStep {
  const seen = state.memory.resourceVersion;
  const memory =
    resourceVersion === '' || resourceVersion === seen
      ? state.memory
      : { ...state.memory, resourceVersion };
  const unordered = state.unordered && resourceVersion === '';
  return {
    state: { ...state, memory, unordered, lost: 0 },
    effects: NOTHING,
    reason: 'events came',
  };
}

const NOTHING: readonly ReflectorEffect[] = [];

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

function fromWatchFailure(
  state: WatchingState,
  { kind, retryAfterMs }: Failure,
  reason: string,
  livedMs: number,
): ReflectorStep {
  const { memory } = state;
  switch (kind) {
    case 'connection-refused':
    case 'too-many-requests':
      return backOff(startWatch(memory), retryAfterMs, reason, REPORT);
    case 'connection-lost': {
      if (livedMs >= VERY_SHORT_WATCH_MS) return move(startWatch(memory), reason, REPORT);
      const lost = state.lost + 1;
      if (lost <= MOST_LOST_WATCHES)
        return backOff({ ...startWatch(memory), lost }, 0, reason, REPORT);
      return backOff(startRound(memory), 0, reason, REPORT);
    }
    case 'expired':
    case 'gone':
    case 'too-large':
    case 'invalid':
    case 'bookmark-overdue':
    case 'other':
      return backOff(startRound(memory), retryAfterMs, reason, REPORT);
  }
}
