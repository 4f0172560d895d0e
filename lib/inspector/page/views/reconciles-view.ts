import type { ReconcileRecord } from '../../../controller/builder/run/reconcile-history.ts';
import type { ControllerInspection } from '../../../controller/builder/controller-inspection.ts';
import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child, type VNode } from '../parts/page-dom.ts';
import { byName, count, plural, rate, span } from '../parts/page-format.ts';
import { badge, section } from '../parts/page-parts.ts';
import type { PageState } from '../parts/page-state.ts';
import { groupRuns, hasFailed } from './run-groups.ts';
import { RESULTS, type Result } from '../parts/run-results.ts';
import { KEY, runsTable, TONES } from './runs-table.ts';

const SHOWN = 30;
const WIDTH = 1000;
const HEIGHT = 44;

export function reconcilesView(state: PageState, { controllers, atMs }: InspectorSnapshot): Child {
  if (controllers.length === 0) {
    return section('Reconciles', h('p', { class: 'none' }, 'No controllers were given.'));
  }
  return [
    h(
      'div',
      { key: 'choice', class: 'head' },
      h(
        'button',
        { type: 'button', 'data-do': 'failed', 'aria-pressed': String(showsFailed(state)) },
        'Failed only',
      ),
    ),
    controllers
      .toSorted(byName)
      .map((controller) => controllerSection({ state, controller, atMs })),
  ];
}

/** Whether only runs that failed are shown. */
export function showsFailed({ parameters }: PageState): boolean {
  return parameters.get('show') === 'failed';
}

interface SectionParts {
  readonly state: PageState;
  readonly controller: ControllerInspection;
  readonly atMs: number;
}

function controllerSection({ state, controller, atMs }: SectionParts): Child {
  const { name, runs, history } = controller;
  const results = Object.entries(runs) as [Result, number][];
  const perSecond = state.rates.perSecond(`runs ${name}`);
  const all = results.reduce((sum, [, number]) => sum + number, 0);
  const failedOnly = showsFailed(state);
  const groups = groupRuns(history).filter((group) => !failedOnly || group.some(hasFailed));
  const shown = groups.slice(0, SHOWN);
  const listed = shown.reduce((sum, group) => sum + group.length, 0);
  const which = failedOnly ? 'failed runs and their retries' : 'runs';
  return h(
    'section',
    { key: name },
    h(
      'div',
      { class: 'head' },
      h('h2', {}, name),
      badge('busy', `${rate(perSecond)} runs/s`),
      results.map(
        ([result, number]) =>
          number > 0 && badge(TONES[result], `${RESULTS[result]}: ${count(number)}`),
      ),
    ),
    history.length > 0 && timeline(name, history, atMs),
    all > 0 &&
      h(
        'p',
        { class: 'note' },
        all > listed
          ? `${count(listed)} ${which} of ${count(all)} since the start.`
          : `${plural(all, 'run')} since the start.`,
      ),
    runsTable({
      caption: `Runs of ${name}`,
      groups: shown,
      of: KEY,
      nameOf: ({ key }) => key,
      none:
        failedOnly && history.length > 0
          ? `None of the last ${plural(history.length, 'run')} failed.`
          : 'It has not run yet.',
    }),
  );
}

/** The runs that are remembered, on the time between the first of them and now. */
function timeline(name: string, history: readonly ReconcileRecord[], atMs: number): VNode {
  const first = Math.min(...history.map(({ startedAtMs }) => startedAtMs));
  const width = Math.max(1000, atMs - first);
  const x = (ms: number): number => ((ms - first) / width) * WIDTH;
  return h(
    'figure',
    {},
    h(
      'svg',
      {
        class: 'timeline',
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `${history.length} runs of ${name} over ${span(width)}`,
      },
      h('line', { x1: 0, y1: HEIGHT - 1, x2: WIDTH, y2: HEIGHT - 1 }),
      history.map(({ key, startedAtMs, durationMs, result }, index) =>
        h(
          'rect',
          {
            key: `${startedAtMs} ${key} ${index}`,
            class: TONES[result],
            x: x(startedAtMs).toFixed(2),
            y: result === 'failed' ? 2 : 14,
            width: Math.max(2, x(startedAtMs + durationMs) - x(startedAtMs)).toFixed(2),
            height: result === 'failed' ? HEIGHT - 4 : HEIGHT - 16,
          },
          h('title', {}, `${key}: ${RESULTS[result]} in ${span(durationMs)}`),
        ),
      ),
    ),
    h('figcaption', {}, h('span', {}, `${span(width)} ago`), h('span', {}, 'now')),
  );
}
