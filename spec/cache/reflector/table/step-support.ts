import { expect } from 'chai';
import {
  initialState,
  listRequest,
  type ListingState,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorMemory,
  type ReflectorState,
  type StreamingListState,
  type WatchingState,
} from '../../../../lib/cache/reflector/table/reflector-state.ts';
import { step } from '../../../../lib/cache/reflector/table/reflector-step.ts';
import type { Failure, FailureKind } from '../../../../lib/cache/reflector/failure/watch-error.ts';

export const memory = (changes: Partial<ReflectorMemory> = {}): ReflectorMemory => ({
  ...initialState({ watchList: true }).memory,
  ...changes,
});

export const listing = (changes: Partial<ListingState> = {}): ListingState => ({
  name: 'listing',
  memory: memory(),
  resourceVersion: '0',
  limit: 500,
  whole: false,
  ...changes,
});

export const streaming = (
  changes: Partial<ReflectorMemory> = {},
  incomplete: number = 0,
): StreamingListState => ({ name: 'streaming-list', memory: memory(changes), incomplete });

export const watching = (changes: Partial<WatchingState> = {}): WatchingState => ({
  name: 'watching',
  memory: memory({ resourceVersion: '10' }),
  unordered: false,
  lost: 0,
  answered: false,
  hasty: 0,
  fresh: false,
  ...changes,
});

export const failure = (kind: FailureKind, retryAfterMs: number = 0): Failure => ({
  kind,
  retryAfterMs,
  message: kind,
});

export const failedStream = (
  kind: FailureKind,
  durationMs: number = 5000,
): Extract<ReflectorInput, { type: 'stream-failed' }> => ({
  type: 'stream-failed',
  failure: failure(kind),
  durationMs,
  events: 0,
  delayMs: 6000,
});

/** A state as one line: what it is, where it goes, what it remembers that matters. */
export function line(state: ReflectorState): string {
  const { resourceVersion, unavailable, paged, watchListUnusable, expiredLists } = state.memory;
  const flags = [
    unavailable ? 'unavailable' : '',
    paged ? 'paged' : '',
    watchListUnusable ? 'no-watch-list' : '',
    expiredLists > 0 ? `expired=${expiredLists}` : '',
  ].filter((flag) => flag !== '');
  const notes = flags.length === 0 ? '' : ` [${flags.join(' ')}]`;
  switch (state.name) {
    case 'listing': {
      const query = JSON.stringify(listRequest(state)).replaceAll('"', '');
      const beside = state.overlapFrom === undefined ? '' : ` beside ${state.overlapFrom}`;
      return `listing ${query}${state.whole ? ' whole' : ''}${beside} at=${resourceVersion}${notes}`;
    }
    case 'reading-version':
      return `reading-version at=${resourceVersion}${notes}`;
    case 'probing':
      return `probing${state.fresh ? ' fresh' : ''} at=${resourceVersion}${notes}`;
    case 'streaming-list':
      return `streaming-list ${state.incomplete} at=${resourceVersion}${notes}`;
    case 'watching': {
      const counters = `${state.unordered ? ' unordered' : ''}${state.fresh ? ' fresh' : ''} lost=${state.lost}${state.answered ? ' answered' : ''} hasty=${state.hasty}`;
      return `watching${counters} at=${resourceVersion}${notes}`;
    }
    case 'backing-off':
      return `backing-off ${state.pace === 'retry' ? '' : `${state.pace} `}${state.retryAfterMs} then ${line(state.next)}`;
    case 'idle':
    case 'stopped':
    case 'failed':
      return `${state.name} at=${resourceVersion}${notes}`;
  }
}

export const effectLine = (effect: ReflectorEffect): string => {
  if (effect.type === 'replace') return `replace ${effect.resourceVersion}`;
  return 'code' in effect ? `report ${effect.code}` : effect.type;
};

/** One row of the table: a state, what happens in it, and what follows. */
export interface Row {
  readonly title: string;
  readonly state: ReflectorState;
  readonly input: ReflectorInput;
  readonly next: string;
  readonly effects?: string;
}

export type RowGroups = Readonly<Record<string, readonly Row[]>>;

/** One case a row. */
export function specRows(groups: RowGroups): void {
  for (const [group, rows] of Object.entries(groups)) {
    describe(group, () => {
      for (const { title, state, input, next, effects = '' } of rows) {
        it(title, () => {
          const before = JSON.stringify(state);
          const result = step(state, input);
          expect(line(result.state)).to.equal(next);
          expect(result.effects.map(effectLine).join(', ')).to.equal(effects);
          expect(result.reason).to.not.equal('');
          expect(JSON.stringify(state), 'the state given is not changed').to.equal(before);
        });
      }
    });
  }
}

export const FAILURE_KINDS: readonly FailureKind[] = [
  'expired',
  'gone',
  'too-large',
  'too-many-requests',
  'connection-refused',
  'unavailable',
  'internal',
  'connection-lost',
  'invalid',
  'unsupported',
  'bookmark-overdue',
  'went-back',
  'other',
];
