import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Failure } from '../failure/watch-error.ts';
import type {
  ReadingVersionState,
  BackingOffState,
  ListingState,
  ReflectorEffect,
  ReflectorInput,
  ReflectorMemory,
  ReflectorState,
  ReflectorStep,
  Pace,
  StreamingListState,
  WatchingState,
} from './reflector-state.ts';

/** Page size when the server may have to read its storage (client-go tools/pager/pager.go defaultPageSize @ 32ce75a7). */
export const DEFAULT_PAGE_SIZE = 500;

/** A shorter watch without an event is a failure (client-go reflector.go handleAnyWatch @ 32ce75a7). */
export const VERY_SHORT_WATCH_MS = 1000;

/** Lists in a row whose watch had expired at once, before a watch is opened ahead of the list. */
export const MOST_EXPIRED_LISTS = 2;

export const CLOSE: ReflectorEffect = { type: 'close-stream' };
export const RESET_BACKOFF: ReflectorEffect = { type: 'reset-backoff' };
export const REPORT: ReflectorEffect = { type: 'report' };
export const REPORT_WENT_BACK: ReflectorEffect = {
  type: 'report',
  code: 'RESOURCE_VERSION_WENT_BACK',
};

export function move(
  state: ReflectorState,
  reason: string,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  return { state, effects, reason };
}

export function backOff(
  next: BackingOffState['next'],
  retryAfterMs: number,
  reason: string,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  return waitFor('retry', next, retryAfterMs, reason, ...effects);
}

export function waitFor(
  pace: Pace,
  next: BackingOffState['next'],
  retryAfterMs: number,
  reason: string,
  ...effects: readonly ReflectorEffect[]
): ReflectorStep {
  const { memory } = next;
  return move({ name: 'backing-off', memory, next, retryAfterMs, pace }, reason, ...effects);
}

/** Stops for a request that is refused each time. With `retryRefused` it is sent again, after the back-off. */
export function fail(
  next: BackingOffState['next'],
  failure: Failure,
  reason: string,
): ReflectorStep {
  const { memory } = next;
  return memory.settings.retryRefused === true
    ? backOff(next, failure.retryAfterMs, reason, CLOSE, REPORT)
    : move({ name: 'failed', memory }, reason, CLOSE, REPORT);
}

/** Whether another attempt cannot have another result. */
export function isPermanent({ kind }: Failure): boolean {
  return kind === 'invalid' || kind === 'unsupported';
}

export function impossible(state: ReflectorState, input: ReflectorInput): never {
  throw new ListwatchError('ASSERTION', `a reflector that is ${state.name} got "${input.type}"`);
}

/** Begins a round: with a streaming list if the server supports it, otherwise with a list. A round ends in a watch. */
export function startRound(
  memory: ReflectorMemory,
): StreamingListState | ListingState | ReadingVersionState {
  const streams = memory.settings.watchList && !memory.watchListUnusable;
  return streams ? { name: 'streaming-list', memory, incomplete: 0 } : startList(memory);
}

/**
 * The first list accepts any state, or is of the newest one if the setting says so; later lists must not be older than the state seen;
 * after a refusal the list is of the most recent state. If lists take longer than the server keeps its history, a watch is opened before
 * the list.
 */
export function startList(memory: ReflectorMemory): ListingState | ReadingVersionState {
  if (memory.expiredLists >= MOST_EXPIRED_LISTS) return { name: 'reading-version', memory };
  const first = memory.settings.firstIsNewest === true ? '' : '0';
  const known = memory.resourceVersion === '' ? first : memory.resourceVersion;
  return listAt(memory, memory.unavailable ? '' : known);
}

export function listAt(memory: ReflectorMemory, resourceVersion: string): ListingState {
  const limit = pageLimit(memory, resourceVersion);
  return { name: 'listing', memory, resourceVersion, limit, whole: false };
}

/** With a limit and a concrete version the server reads its storage, although its cache could answer. */
function pageLimit({ settings, paged }: ReflectorMemory, resourceVersion: string): number {
  if (settings.pageSize !== undefined) return settings.pageSize;
  return paged || resourceVersion === '' || resourceVersion === '0' ? DEFAULT_PAGE_SIZE : 0;
}

export function startWatch(memory: ReflectorMemory): WatchingState {
  const { resourceVersion } = memory;
  const unordered = resourceVersion === '' || resourceVersion === '0';
  return { name: 'watching', memory, unordered, lost: 0, answered: false, hasty: 0, fresh: false };
}
