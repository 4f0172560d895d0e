import type { ReflectorState, ReflectorStateName } from '../table/reflector-state.ts';

/** One change of a reflector's state. */
export interface ReflectorTransition {
  /** Name of the reflector. */
  readonly name: string;
  readonly from: ReflectorStateName;
  readonly to: ReflectorStateName;
  /** The reason, as text. */
  readonly reason: string;
  /** The resource version of the reflector now; empty before the first list is complete. */
  readonly resourceVersion: string;
  /** Time spent in `from`, milliseconds. */
  readonly durationMs: number;
  /** Objects of the list so far. Present while listing, and when the sink got a whole list. */
  readonly items?: number | undefined;
  /** Events the stream carried. Present when a stream ended. */
  readonly events?: number | undefined;
  /** How long the reflector waits. Present when `to` is `backing-off`. */
  readonly delayMs?: number | undefined;
}

/** The reaction of a reflector to an error. */
export interface ReflectorErrorContext {
  /** Name of the reflector. */
  readonly name: string;
  /** The operation that failed. */
  readonly during: ReflectorStateName;
  /** The next operation. */
  readonly next: 'list' | 'streaming-list' | 'watch' | 'stop' | 'continue';
  /** The delay before the next operation, milliseconds. */
  readonly delayMs: number;
  /** Whether the error is expected in normal operation (an expired version, a server without streaming lists). */
  readonly expected: boolean;
  /** The resource version of the reflector; empty before the first list is complete. */
  readonly resourceVersion: string;
  /** The number of earlier occurrences of the same error; after a pause of ten minutes it starts at 0. */
  readonly repeated: number;
  /** Whether to log it: the first occurrence, then at intervals that double from 10 s to 10 min. */
  readonly worthLogging: boolean;
  /** One or two sentences for a log: the failure, the next operation, the remedy. */
  readonly message: string;
}

type Next = Pick<ReflectorErrorContext, 'next'> & { readonly words: string };

/** The operation of a state, after its wait. */
export function describeNext(state: ReflectorState): Next {
  const target = state.name === 'backing-off' ? state.next : state;
  switch (target.name) {
    case 'reading-version':
      return { next: 'list', words: 'opens a watch first and lists beside it' };
    case 'listing': {
      const at =
        target.resourceVersion === ''
          ? 'at the most recent state'
          : `from resource version ${target.resourceVersion}`;
      const beside = target.overlapFrom === undefined ? '' : ', beside an open watch';
      return { next: 'list', words: `lists ${target.whole ? 'in one piece ' : ''}${at}${beside}` };
    }
    case 'probing':
      return { next: 'list', words: 'asks whether the server answers' };
    case 'streaming-list':
      return { next: 'streaming-list', words: 'asks for a streaming list' };
    case 'watching':
      return {
        next: 'watch',
        words: `reopens the watch from resource version ${target.memory.resourceVersion}`,
      };
    case 'idle':
    case 'stopped':
      return { next: 'stop', words: 'stops' };
    case 'failed':
      return { next: 'stop', words: 'stops: another attempt would fail as well' };
  }
}

/** `reopens the watch from resource version 12 in 800 ms` */
export function describePlan(state: ReflectorState, delayMs: number): string {
  const { words } = describeNext(state);
  if (state.name === 'failed') return words;
  return delayMs > 0 ? `${words} in ${Math.round(delayMs)} ms` : `${words} at once`;
}
