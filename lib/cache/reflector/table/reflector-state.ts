import type { Failure } from '../failure/watch-error.ts';
import type { ListRequest, WatchRequest } from '../contract/lister-watcher.ts';

export interface ReflectorSettings {
  /** Items a page; 0 for no paging at all. Left out: paging only where the server's cache would not answer. */
  readonly pageSize?: number | undefined;
  /** Try a streaming list before a plain one. */
  readonly watchList: boolean;
  /** The first plain list is of the newest state, and not of any state. @defaultValue false */
  readonly firstIsNewest?: boolean | undefined;
  /** Send a request again that the server has refused for good. @defaultValue false */
  readonly retryRefused?: boolean | undefined;
}

/** The data that outlives a state. */
export interface ReflectorMemory {
  readonly settings: ReflectorSettings;
  /** The resource version to continue from; empty before the first replace. */
  readonly resourceVersion: string;
  /** The server refused `resourceVersion` in a list: the next one asks for the most recent state. */
  readonly unavailable: boolean;
  /** A list at "0" was paged, so the server has no watch cache that could answer in one page. */
  readonly paged: boolean;
  /** The server does not support streaming lists, or never ends them. */
  readonly watchListUnusable: boolean;
  /** Lists in a row whose watch expired before its first event: the server keeps less history than a list takes. */
  readonly expiredLists: number;
}

export interface IdleState {
  readonly name: 'idle';
  readonly memory: ReflectorMemory;
}

export interface ListingState {
  readonly name: 'listing';
  readonly memory: ReflectorMemory;
  /** The version in the request of the first page; empty for the most recent state. */
  readonly resourceVersion: string;
  readonly limit: number;
  /** The token of the page that is requested now; left out for the first. */
  readonly continueToken?: string | undefined;
  /** The version of the first page: the resource version of the whole list. */
  readonly listedVersion?: string | undefined;
  /** The list is read again in one page, because its continue token expired. */
  readonly whole: boolean;
  /** The list is overlapped: a watch from this version stays open while the pages arrive. */
  readonly overlapFrom?: string | undefined;
}

/** Requests a recent version, from which the watch of an overlapped list starts. */
export interface ReadingVersionState {
  readonly name: 'reading-version';
  readonly memory: ReflectorMemory;
}

export interface StreamingListState {
  readonly name: 'streaming-list';
  readonly memory: ReflectorMemory;
  /** Streams of this round that ended without the end bookmark. */
  readonly incomplete: number;
}

export interface WatchingState {
  readonly name: 'watching';
  readonly memory: ReflectorMemory;
  /** The stream starts with the present state, in no order: its resource versions are not recorded before a change. */
  readonly unordered: boolean;
  /** Watches in a row that were not accepted, or ended at once and empty. */
  readonly lost: number;
  /** After watches were lost, the server has answered a request; if watches are lost again, the collection is listed. */
  readonly answered: boolean;
  /** Streams in a row that ended within a second. */
  readonly hasty: number;
  /** Whether it is the first watch after a plain list and has no event yet. */
  readonly fresh: boolean;
}

/** Checks with a request whether the server answers, after several watches in a row were lost. */
export interface ProbingState {
  readonly name: 'probing';
  readonly memory: ReflectorMemory;
  /** As in the watch before. */
  readonly fresh: boolean;
}

/**
 * The kind of a wait. `retry`: the back-off, which then grows. `reopen`: a quarter of the back-off, for a server that accepts
 * watches and ends them at once. `none`: only `retryAfterMs`.
 */
export type Pace = 'retry' | 'reopen' | 'none';

export interface BackingOffState {
  readonly name: 'backing-off';
  readonly memory: ReflectorMemory;
  readonly next:
    | ListingState
    | ReadingVersionState
    | StreamingListState
    | WatchingState
    | ProbingState;
  /** The least delay, milliseconds; usually requested by the server. */
  readonly retryAfterMs: number;
  readonly pace: Pace;
}

export interface StoppedState {
  readonly name: 'stopped';
  readonly memory: ReflectorMemory;
}

/** The server refuses the request for good, so it is not sent again. */
export interface FailedState {
  readonly name: 'failed';
  readonly memory: ReflectorMemory;
}

export type ReflectorState =
  | IdleState
  | ListingState
  | ReadingVersionState
  | ProbingState
  | StreamingListState
  | WatchingState
  | BackingOffState
  | StoppedState
  | FailedState;

export type ReflectorStateName = ReflectorState['name'];

/** A stream that was accepted, from its request to its end. */
export interface StreamLife {
  readonly durationMs: number;
  readonly events: number;
  /** How long the reflector had waited before it, milliseconds. */
  readonly delayMs: number;
}

export type ReflectorInput =
  | { readonly type: 'start' }
  | {
      readonly type: 'page';
      readonly resourceVersion: string;
      readonly continueToken?: string | undefined;
    }
  | { readonly type: 'list-failed'; readonly failure: Failure }
  | {
      readonly type: 'watch-refused';
      readonly failure: Failure;
      readonly retryInternal?: boolean | undefined;
    }
  /** Events of an open stream; the resource version is that of the last change, empty when there was none. */
  | { readonly type: 'progress'; readonly resourceVersion: string }
  | { readonly type: 'initial-events-end'; readonly resourceVersion: string }
  | ({ readonly type: 'stream-ended' } & StreamLife)
  | ({
      readonly type: 'stream-failed';
      readonly failure: Failure;
      /** The server had an internal error, and not for longer than the limit: the watch may be reopened. */
      readonly retryInternal?: boolean | undefined;
    } & StreamLife)
  | { readonly type: 'sink-failed'; readonly failure: Failure }
  | { readonly type: 'waited' }
  | { readonly type: 'abort' };

export type ReflectorEffect =
  /** Add the items of the page to the items of the pages before. */
  | { readonly type: 'keep-page' }
  /** Commit the relist to the sink. If the sink throws, the step has no effect. */
  | { readonly type: 'replace'; readonly resourceVersion: string }
  /** Call the error hook; `code` names the failure if the input has no error. */
  | {
      readonly type: 'report';
      readonly code?: 'WATCH_LIST_INCOMPLETE' | 'VERY_SHORT_WATCH' | 'RESOURCE_VERSION_WENT_BACK';
    }
  | { readonly type: 'close-stream' }
  /** The server accepts watches: reset the back-off. */
  | { readonly type: 'reset-backoff' };

export interface ReflectorStep {
  readonly state: ReflectorState;
  readonly effects: readonly ReflectorEffect[];
  /** The reason, as text. */
  readonly reason: string;
}

/** The state before the first start. With a version it starts with a watch. */
export function initialState(settings: ReflectorSettings, resourceVersion: string = ''): IdleState {
  return {
    name: 'idle',
    memory: {
      settings,
      resourceVersion,
      unavailable: false,
      paged: false,
      watchListUnusable: false,
      expiredLists: 0,
    },
  };
}

/** The request of the page that a state waits for. Later pages have only the token: servers refuse both together. */
export function listRequest(state: ListingState | ReadingVersionState | ProbingState): ListRequest {
  if (state.name !== 'listing') return { limit: 1 };
  const { continueToken, resourceVersion, limit, whole } = state;
  const paging = whole || limit === 0 ? {} : { limit };
  if (continueToken !== undefined) return { ...paging, continueToken };
  return resourceVersion === '' ? paging : { ...paging, resourceVersion };
}

/** The stream from which a state reads; for a list, the watch that is open during the list. */
export function watchRequest(
  state: StreamingListState | WatchingState | ListingState,
): WatchRequest {
  const { resourceVersion: known, unavailable } = state.memory;
  const streaming = state.name === 'streaming-list';
  const resourceVersion = state.name === 'listing' ? (state.overlapFrom ?? '') : known;
  const from = resourceVersion === '' || (streaming && unavailable) ? {} : { resourceVersion };
  return streaming
    ? {
        ...from,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      }
    : { ...from, allowWatchBookmarks: true };
}
