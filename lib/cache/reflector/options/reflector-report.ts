import type { ReflectorState, ReflectorStateName } from '../table/reflector-state.ts';

/** One change of a reflector's state. */
export interface ReflectorTransition {
  /** Name of the reflector. */
  readonly name: string;
  readonly from: ReflectorStateName;
  readonly to: ReflectorStateName;
  /** Why, in words. */
  readonly reason: string;
  /** The resource version of the reflector now; empty before the first list is complete. */
  readonly resourceVersion: string;
  /** Time spent in `from`, milliseconds. */
  readonly durationMs: number;
  /** Objects of the list so far. Present while listing, and when the sink was given a whole list. */
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
  /** After which delay, milliseconds. */
  readonly delayMs: number;
  /** Part of normal life (an expired version, a server without streaming lists), no reason for an alarm. */
  readonly expected: boolean;
  /** The resource version of the reflector; empty before the first list is complete. */
  readonly resourceVersion: string;
  /** How often the same error came before; a pause of ten minutes starts again at 0. */
  readonly repeated: number;
  /** Whether a log should have it: the first one, then at distances that double from 10 s to 10 min. */
  readonly worthLogging: boolean;
  /** The whole story in one sentence or two: what failed, what happens next, what a person can do. */
  readonly message: string;
}

type Next = Pick<ReflectorErrorContext, 'next'> & { readonly words: string };

/** The operation of a state, after its wait. */
export function describeNext(state: ReflectorState): Next {
  const target = state.name === 'backing-off' ? state.next : state;
  switch (target.name) {
    case 'anchoring':
      return { next: 'list', words: 'opens a watch first and lists beside it' };
    case 'listing': {
      const at =
        target.resourceVersion === ''
          ? 'at the most recent state'
          : `from resource version ${target.resourceVersion}`;
      const beside = target.overlapFrom === undefined ? '' : ', beside an open watch';
      return { next: 'list', words: `lists ${target.whole ? 'in one piece ' : ''}${at}${beside}` };
    }
    case 'asking':
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
  }
}

/** `reopens the watch from resource version 12 in 800 ms` */
export function describePlan(state: ReflectorState, delayMs: number): string {
  const { words } = describeNext(state);
  return delayMs > 0 ? `${words} in ${Math.round(delayMs)} ms` : `${words} at once`;
}
