import type { InspectorSnapshot, ObjectReport } from '../../contract/inspector-snapshot.ts';
import { h, type Child } from '../parts/page-dom.ts';
import { byName, count, cut, plural } from '../parts/page-format.ts';
import { badge, section } from '../parts/page-parts.ts';
import type { PageState } from '../parts/page-state.ts';

const LONGEST_LINE = 400;
const MOST_LINES = 4_000;

export function objectsView(state: PageState, { informers }: InspectorSnapshot): Child {
  if (state.saved !== undefined) {
    const text = 'A saved page has no objects. The caches are in /debug/dump of the program.';
    return section('Objects', h('p', { class: 'none' }, text));
  }
  const informer = state.parameters.get('informer') ?? informers[0]?.name ?? '';
  const text = state.parameters.get('text') ?? '';
  const key = state.parameters.get('key') ?? '';
  return h(
    'section',
    { key: 'objects' },
    h('h2', {}, 'Objects'),
    h(
      'div',
      { class: 'head' },
      h(
        'label',
        {},
        'Informer ',
        h(
          'select',
          { 'data-change': 'informer', 'data-value': informer },
          informers
            .toSorted(byName)
            .map(({ name }) => h('option', { value: name, key: name }, name)),
        ),
      ),
      h(
        'label',
        {},
        'Key ',
        h('input', {
          id: 'search',
          type: 'search',
          'data-input': 'text',
          value: text,
          placeholder: 'part of a key',
          autocomplete: 'off',
          spellcheck: 'false',
        }),
      ),
      h('span', { class: 'note', role: 'status' }, searchText(state)),
    ),
    h(
      'div',
      { class: 'split' },
      h(
        'ul',
        { class: 'keys', 'aria-label': 'Keys', tabindex: 0 },
        state.search?.keys.map((one) =>
          h(
            'li',
            { key: one },
            h(
              'a',
              { href: objectHref(informer, text, one), 'aria-current': one === key && 'true' },
              one,
            ),
          ),
        ),
      ),
      objectPane(state, informer, key),
    ),
  );
}

function objectHref(informer: string, text: string, key: string): string {
  return `#/objects?${new URLSearchParams({ informer, text, key }).toString()}`;
}

function searchText({ search }: PageState): string {
  if (search === undefined) return 'searching…';
  const { matched, searched, total, keys } = search;
  const shown = matched > keys.length ? `, the first ${keys.length} are shown` : '';
  const rest = searched < total ? `; only ${count(searched)} of ${count(total)} were searched` : '';
  return `${count(matched)} of ${plural(total, 'object')}${shown}${rest}`;
}

function objectPane(state: PageState, informer: string, key: string): Child {
  const { object } = state;
  if (key === '') return h('p', { class: 'none' }, 'Choose a key.');
  if (object === undefined) return h('p', { class: 'none' }, 'Reading…');
  if ('problem' in object) return h('p', { class: 'none', role: 'status' }, object.problem);
  return h(
    'div',
    { class: 'pane' },
    h(
      'div',
      { class: 'head' },
      h('h3', {}, `${object.key} @${object.resourceVersion}`),
      h('button', { type: 'button', 'data-do': 'reload', 'data-name': informer }, 'Read again'),
      h(
        'button',
        { type: 'button', 'data-do': 'compare', 'data-name': informer },
        'Compare with the server',
      ),
      h('a', { href: `#/key?key=${encodeURIComponent(key)}` }, 'Follow this key'),
      h(
        'label',
        {},
        'Find ',
        h('input', {
          id: 'find',
          type: 'search',
          'data-input': 'find',
          value: state.find,
          autocomplete: 'off',
          spellcheck: 'false',
        }),
      ),
    ),
    object.notes.map((note) => h('p', { class: 'note' }, note)),
    object.difference !== undefined &&
      h('p', { role: 'status' }, differenceText(object.difference)),
    lines(object, state.find),
  );
}

function differenceText({
  equal,
  resourceVersion,
  lines: all,
}: NonNullable<ObjectReport['difference']>): Child {
  if (resourceVersion === undefined)
    return [badge('bad', 'gone'), ' The server has no such object.'];
  if (equal) return [badge('good', 'equal'), ` The server has the same, @${resourceVersion}.`];
  const changed = all.filter(({ mark }) => mark !== ' ').length;
  return [
    badge('warn', 'differs'),
    ` The server has @${resourceVersion}; ${plural(changed, 'line')} differ (− cache, + server).`,
  ];
}

function lines({ yaml, difference }: ObjectReport, find: string): Child {
  const all = difference?.lines ?? yaml.split('\n').map((text) => ({ mark: ' ', text }) as const);
  const wanted = find.toLowerCase();
  const found =
    wanted === '' ? 0 : all.filter(({ text }) => text.toLowerCase().includes(wanted)).length;
  const names = { ' ': '', '-': 'removed', '+': 'added' } as const;
  return [
    wanted !== '' &&
      h('p', { class: 'note', role: 'status' }, `${plural(found, 'line')} with "${find}"`),
    h(
      'pre',
      { tabindex: 0, 'aria-label': 'YAML' },
      all.slice(0, MOST_LINES).map(({ mark, text }) =>
        h(
          'span',
          {
            class: `${names[mark]}${wanted !== '' && text.toLowerCase().includes(wanted) ? ' found' : ''}`,
          },
          `${difference === undefined ? '' : `${mark === '-' ? '−' : mark} `}${cut(text, LONGEST_LINE)}\n`,
        ),
      ),
    ),
  ];
}
