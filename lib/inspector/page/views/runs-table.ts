import type { ReconcileRecord } from '../../../controller/builder/run/reconcile-history.ts';
import { h, type Child, type VNode } from '../parts/page-dom.ts';
import { exactClock, plural, span } from '../parts/page-format.ts';
import { badge, keyLink, table, type Column, type Tone } from '../parts/page-parts.ts';
import { firstOf, groupName, type RunGroup } from './run-groups.ts';
import { RESULTS, type Result } from '../parts/run-results.ts';

type ReconcileReason = ReconcileRecord['reasons'][number];

export const TONES: Readonly<Record<Result, Tone>> = {
  done: 'good',
  cleaned: 'good',
  gone: 'off',
  requeue: 'busy',
  conflict: 'warn',
  failed: 'bad',
};

/** A narrow window leaves its cell out. */
const DASH: VNode = h('span', { class: 'dash' }, '–');

export interface RunsTableOptions<R extends ReconcileRecord> {
  readonly caption: string;
  readonly groups: readonly RunGroup<R>[];
  /** The column that says which run it is. */
  readonly of: Column<R>;
  /** The text of that column. */
  readonly nameOf: (run: R) => string;
  readonly none: string;
}

export const KEY: Column<ReconcileRecord> = { name: 'Key', cell: ({ key }) => keyLink(key) };

/** A row for each run with its retries. */
export function runsTable<R extends ReconcileRecord>({
  caption,
  groups,
  of,
  nameOf,
  none,
}: RunsTableOptions<R>): VNode {
  return table<RunGroup<R>>({
    caption,
    none,
    rows: groups,
    key: (group) => groupName(group, nameOf(group[0])),
    columns: [
      { ...of, class: 'title', cell: ([last]) => of.cell(last) },
      { name: 'Result', cell: (group) => result(group) },
      { name: 'Began', class: 'slim', cell: ([{ startedAtMs }]) => exactClock(startedAtMs) },
      { name: 'Took', class: 'number', cell: ([{ durationMs }]) => span(durationMs) },
      {
        name: 'Cause',
        class: 'wide cause',
        cell: (group) => firstOf(group).reasons.map(reasonLine),
      },
      {
        name: 'Error',
        class: 'wide',
        cell: ([{ error }]) => (error === undefined ? DASH : h('span', { class: 'error' }, error)),
      },
    ],
  });
}

function result(group: RunGroup<ReconcileRecord>): Child {
  const [last] = group;
  const state = badge(TONES[last.result], RESULTS[last.result]);
  if (group.length === 1) return state;
  const since = span(last.startedAtMs - firstOf(group).startedAtMs);
  return [
    state,
    h(
      'details',
      {},
      h('summary', {}, `${plural(group.length, 'run')} in ${since}`),
      h(
        'ol',
        { class: 'tries', reversed: true },
        group.map((run) =>
          h(
            'li',
            { key: String(run.startedAtMs) },
            `${exactClock(run.startedAtMs)} ${RESULTS[run.result]} in ${span(run.durationMs)}`,
          ),
        ),
      ),
    ),
  ];
}

/** The change, and the run that wrote it if that is known. */
function reasonLine(reason: ReconcileReason): VNode {
  const { causedBy } = reason;
  return h(
    'div',
    {},
    reasonText(reason),
    causedBy !== undefined &&
      h('small', {}, 'written by ', causedBy.controller, ' for ', keyLink(causedBy.key)),
  );
}

export function reasonText({
  type,
  resource,
  object,
  resourceVersion,
  via,
}: ReconcileReason): string {
  const what = resource === undefined ? '' : ` ${resource} ${object ?? ''}`;
  const version = resourceVersion === undefined ? '' : ` @${resourceVersion}`;
  // The failure before a retry is the error of another run.
  const way = via === undefined || via === 'own' || type === 'retry' ? '' : ` (${via})`;
  return `${type}${what}${version}${way}`;
}
