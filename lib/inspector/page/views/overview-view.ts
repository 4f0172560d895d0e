import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child, type VNode } from '../parts/page-dom.ts';
import { findingsOf } from '../parts/page-findings.ts';
import { byName, count, cut, rate } from '../parts/page-format.ts';
import { badge, facts, section, sparkline, table, type Tone } from '../parts/page-parts.ts';
import type { PageState } from '../parts/page-state.ts';
import { stations, type Station } from './pipeline-stations.ts';

const LONGEST_ERROR = 120;

export function overviewView(state: PageState, snapshot: InspectorSnapshot): Child {
  const wanted = state.parameters.get('informer') ?? '';
  const informers = snapshot.informers.filter(({ name }) => wanted === '' || name === wanted);
  return [
    section('Attention', attention(snapshot)),
    h(
      'section',
      { key: 'pipeline' },
      h(
        'div',
        { class: 'head' },
        h('h2', {}, 'Pipeline'),
        h(
          'label',
          {},
          'Informer ',
          h(
            'select',
            { 'data-change': 'pipeline', 'data-value': wanted },
            h('option', { value: '' }, `all ${snapshot.informers.length}`),
            snapshot.informers
              .toSorted(byName)
              .map(({ name }) => h('option', { value: name, key: name }, name)),
          ),
        ),
      ),
      informers.length + snapshot.controllers.length === 0
        ? h('p', { class: 'none' }, 'No informers and no controllers were given.')
        : pipeline(stations(state, snapshot, informers, wanted)),
    ),
    controllers(state, snapshot),
  ];
}

function attention(snapshot: InspectorSnapshot): Child {
  const findings = findingsOf(snapshot);
  if (findings.length === 0) return h('p', { class: 'none' }, 'Nothing needs attention.');
  const tones = { problem: 'bad', warning: 'warn', note: 'busy' } as const;
  return h(
    'ul',
    { class: 'findings' },
    findings.map(({ level, where, text, view }, index) =>
      h(
        'li',
        { key: `${where} ${level} ${index}` },
        badge(tones[level], level),
        h('a', { href: `#/${view}` }, where),
        h('span', {}, text),
      ),
    ),
  );
}

function pipeline(list: readonly Station[]): VNode {
  return h(
    'ol',
    { class: 'pipeline', 'aria-label': 'from the server to the reconcile' },
    list.map(({ name, tone, state, value, unit, line, rows }) =>
      h(
        'li',
        { key: name, class: tone },
        h('h3', {}, name),
        badge(tone, state),
        h('p', { class: 'figure' }, h('b', {}, value), ` ${unit}`),
        line === undefined ? h('div', { class: 'spark' }) : sparkline(line),
        facts(rows),
      ),
    ),
  );
}

function controllers({ rates }: PageState, { controllers: all }: InspectorSnapshot): Child {
  return section(
    'Controllers',
    table({
      caption: 'Controllers',
      none: 'No controllers were given.',
      rows: all.toSorted(byName),
      key: ({ name }) => name,
      columns: [
        {
          name: 'Controller',
          class: 'title',
          cell: ({ name }) => h('a', { href: '#/reconciles' }, name),
        },
        { name: 'State', cell: ({ phase }) => badge(phaseTone(phase), phase) },
        { name: 'Waiting', class: 'number', cell: ({ queue }) => count(queue.waiting.count) },
        { name: 'In work', class: 'number', cell: ({ queue }) => count(queue.running.count) },
        { name: 'Delayed', class: 'number', cell: ({ queue }) => count(queue.delayed.count) },
        { name: 'Failing', class: 'number', cell: ({ queue }) => count(queue.failing.count) },
        {
          name: 'Runs/s',
          class: 'number',
          cell: ({ name }) => rate(rates.perSecond(`runs ${name}`)),
        },
        {
          name: 'Last error',
          class: 'wide',
          cell: ({ history }) => {
            const failed = history.findLast(({ error }) => error !== undefined);
            return failed === undefined ? 'none' : cut(failed.error ?? '', LONGEST_ERROR);
          },
        },
      ],
    }),
  );
}

export function phaseTone(phase: string): Tone {
  if (phase === 'running') return 'good';
  if (phase === 'syncing' || phase === 'standby') return 'busy';
  return phase === 'stopped' ? 'off' : 'warn';
}
