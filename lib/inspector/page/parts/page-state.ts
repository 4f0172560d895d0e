import type {
  AuditAnswer,
  InspectorSnapshot,
  KeyReport,
  KeySearch,
  ObjectReport,
  SavedState,
} from '../../contract/inspector-snapshot.ts';
import { Rates } from './page-rates.ts';
import { RESULTS } from './run-results.ts';

/** Something that happened to the key that is followed. */
export interface KeyStep {
  readonly atMs: number;
  readonly text: string;
}

/** The state of the page. Every list in it is bounded. */
export interface PageState {
  view: string;
  parameters: URLSearchParams;
  snapshot: InspectorSnapshot | undefined;
  readonly saved: SavedState | undefined;
  /** In words, for the line at the top. */
  connection: 'connecting' | 'live' | 'paused' | 'lost' | 'saved';
  dropped: number;
  readonly rates: Rates;
  readonly audits: Map<string, AuditAnswer | 'running'>;
  search: KeySearch | undefined;
  object: ObjectReport | { readonly problem: string } | undefined;
  /** Lines of the object with this text are marked. */
  find: string;
  key: KeyReport | undefined;
  readonly steps: KeyStep[];
}

export function newState(saved: SavedState | undefined): PageState {
  return {
    view: 'overview',
    parameters: new URLSearchParams(),
    snapshot: saved?.snapshot,
    saved,
    connection: saved === undefined ? 'connecting' : 'saved',
    dropped: 0,
    rates: new Rates(),
    audits: new Map(),
    search: undefined,
    object: undefined,
    find: '',
    key: undefined,
    steps: [],
  };
}

const MOST_STEPS = 60;

/** Notes what has changed between two reports of a key, the latest first. */
export function noteSteps(state: PageState, next: KeyReport): void {
  const before = state.key?.key === next.key ? state.key : undefined;
  if (before === undefined) state.steps.length = 0;
  state.key = next;
  const add = (text: string, atMs: number = next.atMs): void => {
    state.steps.unshift({ atMs, text });
    if (state.steps.length > MOST_STEPS) state.steps.pop();
  };
  for (const cache of next.caches) {
    const old = before?.caches.find(({ informer }) => informer === cache.informer);
    if (old?.resourceVersion === cache.resourceVersion) continue;
    add(`the cache of ${cache.informer} has version ${cache.resourceVersion}`);
  }
  for (const old of before?.caches ?? []) {
    if (!next.caches.some(({ informer }) => informer === old.informer)) {
      add(`it has left the cache of ${old.informer}`);
    }
  }
  for (const queued of next.queues) {
    const old = before?.queues.find(({ queue }) => queue === queued.queue);
    if (before !== undefined && old?.state !== queued.state) {
      add(`queue ${queued.queue}: ${queued.state}`);
    }
  }
  for (const run of next.runs.toReversed()) {
    const known = before?.runs.some(
      ({ startedAtMs, controller }) =>
        startedAtMs === run.startedAtMs && controller === run.controller,
    );
    if (before === undefined || known === true) continue;
    add(`${run.controller} has run: ${RESULTS[run.result]}`, run.startedAtMs + run.durationMs);
  }
}
