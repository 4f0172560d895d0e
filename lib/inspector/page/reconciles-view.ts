import type { ReconcileRecord } from '../../controller/builder/run/reconcile-history.ts';
import type { ControllerInspection } from '../../controller/builder/controller-inspection.ts';
import type { InspectorSnapshot } from '../contract/inspector-snapshot.ts';
import { h, type Child, type VNode } from './page-dom.ts';
import { count, exactClock, plural, rate, span } from './page-format.ts';
import { badge, keyLink, section, table, type Tone } from './page-parts.ts';
import type { PageState } from './page-state.ts';

const SHOWN = 30;
const WIDTH = 1000;
const HEIGHT = 44;

type Result = ReconcileRecord['result'];

const TONES: Readonly<Record<Result, Tone>> = {
  done: 'good',
  cleaned: 'good',
  gone: 'off',
  requeue: 'busy',
  conflict: 'warn',
  failed: 'bad',
};

export function reconcilesView(state: PageState, { controllers, atMs }: InspectorSnapshot): Child {
  if (controllers.length === 0) {
    return section('Reconciles', h('p', { class: 'none' }, 'No controllers were given.'));
  }
  return controllers.map((controller) => controllerSection(state, controller, atMs));
}

function controllerSection(
  state: PageState,
  controller: ControllerInspection,
  atMs: number,
): Child {
  const { name, runs, history } = controller;
  const results = Object.entries(runs) as [Result, number][];
  const perSecond = state.rates.perSecond(`runs ${name}`);
  const all = results.reduce((sum, [, number]) => sum + number, 0);
  const latest = history.toReversed().slice(0, SHOWN);
  const note =
    all > latest.length
      ? `The last ${count(latest.length)} of ${count(all)} runs.`
      : `${plural(latest.length, 'run')} so far.`;
  return h(
    'section',
    { key: name },
    h(
      'div',
      { class: 'head' },
      h('h2', {}, name),
      badge('busy', `${rate(perSecond)} runs/s`),
      results.map(
        ([result, number]) => number > 0 && badge(TONES[result], `${count(number)} ${result}`),
      ),
    ),
    history.length > 0 && timeline(name, history, atMs),
    history.length > 0 && h('p', { class: 'note' }, note),
    runsTable(name, latest, 'It has not run yet.'),
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
          h('title', {}, `${key}: ${result} in ${span(durationMs)}`),
        ),
      ),
    ),
    h('figcaption', {}, h('span', {}, `${span(width)} ago`), h('span', {}, 'now')),
  );
}

export function runsTable(name: string, runs: readonly ReconcileRecord[], none: string): VNode {
  return table({
    caption: `Runs of ${name}`,
    none,
    rows: runs,
    key: ({ key, startedAtMs }) => `${startedAtMs} ${key}`,
    columns: [
      { name: 'Began', class: 'slim', cell: ({ startedAtMs }) => exactClock(startedAtMs) },
      { name: 'Key', cell: ({ key }) => keyLink(key) },
      { name: 'Cause', class: 'wide', cell: ({ reasons }) => reasons.map(reason) },
      { name: 'Result', cell: ({ result }) => badge(TONES[result], result) },
      { name: 'Took', class: 'number', cell: ({ durationMs }) => span(durationMs) },
      { name: 'Error', class: 'wide', cell: ({ error = '–' }) => error },
    ],
  });
}

function reason({
  type,
  resource,
  object,
  resourceVersion,
  via,
}: ReconcileRecord['reasons'][number]): VNode {
  const what = resource === undefined ? '' : ` ${resource} ${object ?? ''}`;
  const version = resourceVersion === undefined ? '' : ` @${resourceVersion}`;
  const way = via === undefined || via === 'own' ? '' : ` (${via})`;
  return h('div', {}, `${type}${what}${version}${way}`);
}
