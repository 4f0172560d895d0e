import { h, type Child, type VNode } from './page-dom.ts';
import { count } from './page-format.ts';

/** How well something is, beside a word that says it. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'off';

/** A state: a word, and a mark of another shape for each tone. */
export function badge(tone: Tone, text: string): VNode {
  return h('span', { class: `badge ${tone}` }, text);
}

export function facts(rows: readonly (readonly [string, Child])[]): VNode {
  return h(
    'dl',
    { class: 'facts' },
    rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
}

/** A figure with a line below it. */
export function tile(name: string, value: string, below: Child): VNode {
  return h('div', { class: 'tile' }, facts([[name, value]]), below);
}

export interface Column<Row> {
  readonly name: string;
  readonly class?: string | undefined;
  readonly cell: (row: Row) => Child;
}

export interface TableOptions<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly key: (row: Row) => string;
  /** In place of rows. */
  readonly none: string;
}

export function table<Row>({ caption, columns, rows, key, none }: TableOptions<Row>): VNode {
  if (rows.length === 0) return h('p', { class: 'none' }, none);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      { role: 'table' },
      h('caption', { class: 'hidden' }, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map((column) => h('th', { scope: 'col', class: column.class }, column.name)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            { key: key(row), role: 'row' },
            columns.map((column) =>
              // A narrow window has no heads of columns.
              h(
                'td',
                { class: column.class, role: 'cell', 'data-name': column.name },
                column.cell(row),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

const WIDTH = 120;
const HEIGHT = 24;

/** A small curve of the last two minutes; the number beside it says the same. */
export function sparkline(values: readonly number[]): VNode {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values
    .map((value, index) => {
      const y = HEIGHT - 1 - (value / most) * (HEIGHT - 3);
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return h(
    'svg',
    {
      class: 'spark',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    },
    h('polyline', { points }),
  );
}

export function keyLink(key: string): VNode {
  return h('a', { href: `#/key?key=${encodeURIComponent(key)}`, class: 'key' }, key);
}

export function section(title: string, ...children: Child[]): VNode {
  return h('section', { key: title }, h('h2', {}, title), ...children);
}

export function more(total: number, shown: number, what: string): Child {
  return total > shown && h('p', { class: 'none' }, `and ${count(total - shown)} more ${what}`);
}
