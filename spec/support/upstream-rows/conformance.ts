import type { ConformanceRow, SpecReference } from './conformance-row.ts';
import { fifoRows } from './fifo-rows.ts';
import { informerRows } from './informer-rows.ts';
import { reflectorRows } from './reflector-rows.ts';
import { startupRows } from './startup-rows.ts';
import { storeRows } from './store-rows.ts';
import { watchRows } from './watch-rows.ts';
import { upstreamTests } from './upstream-tests.ts';

export interface ConformanceSection {
  readonly title: string;
  readonly rows: readonly ConformanceRow[];
}

export const sections: readonly ConformanceSection[] = [
  { title: 'Reflector', rows: reflectorRows },
  { title: 'Queue', rows: fifoRows },
  { title: 'Store', rows: storeRows },
  { title: 'Informer', rows: informerRows },
  { title: 'Watch and pager', rows: watchRows },
  { title: 'Start-up', rows: startupRows },
];

/** Path below `spec/`, and the full titles of the cases in it that run. */
export type SpecTitles = ReadonlyMap<string, readonly string[]>;

/** A row says enough when its reason has at least as many characters as this. */
const SHORTEST_REASON = 20;
/** That it will come is no reason. */
const PROMISE = /^(?:pending|to do|later)\b/i;

const nameOf = ({ file, test }: ConformanceRow): string => `${file} ${test}`;

const isOf = (path: string, file: string): boolean => path === file || path.endsWith(`/${file}`);

/** Upstream tests that do not have exactly one row, and rows that stand for no upstream test. */
export function miscountedTests(rows: readonly ConformanceRow[]): string[] {
  const wrong: string[] = [];
  const left = new Set(rows);
  for (const [path, tests] of Object.entries(upstreamTests)) {
    for (const test of tests) {
      const found = rows.filter((row) => row.test === test && isOf(path, row.file));
      if (found.length !== 1) wrong.push(`${path} ${test} has ${found.length} rows`);
      for (const row of found) left.delete(row);
    }
  }
  return [...wrong, ...[...left].map((row) => `${nameOf(row)} is no upstream test`)];
}

/** References to a case that does not exist, does not run, or shares its title with another one of the file. */
export function brokenReferences(rows: readonly ConformanceRow[], titles: SpecTitles): string[] {
  const wrong: string[] = [];
  for (const row of rows) {
    for (const { spec, title } of row.specs) {
      const count = (titles.get(spec) ?? []).filter((one) => one === title).length;
      if (count !== 1)
        wrong.push(`${nameOf(row)}: ${count} cases in ${spec} are called "${title}"`);
    }
  }
  return wrong;
}

/** Rows that neither point at a spec nor say why they cannot. */
export function unexplainedRows(rows: readonly ConformanceRow[]): string[] {
  return rows
    .filter(({ specs }) => specs.length === 0)
    .filter(({ because = '' }) => because.length < SHORTEST_REASON || PROMISE.test(because))
    .map(nameOf);
}

/** The spec files that the rows point at. */
export function referencedSpecs(rows: readonly ConformanceRow[]): string[] {
  return [...new Set(rows.flatMap(({ specs }) => specs.map(({ spec }) => spec)))].toSorted();
}

const INTRODUCTION = `# Conformance with client-go

client-go's own tests say most exactly what an informer has to do. This page lists all of them that concern its cache, as of
commit \`32ce75a7\`: one row a test, with the cases of this package that hold the same fact. Where this package differs on
purpose, the note says how; a test without a case has the reason in its place.

The rows are data in \`spec/support/upstream-rows/\`. \`spec/conformance.spec.ts\` holds them against the list of upstream tests and against
the titles of the cases, and writes this page with \`LISTWATCH_UPDATE_DOCS=1\`.
`;

/** The text of `docs/conformance.md`. */
export function conformancePage(of: readonly ConformanceSection[]): string {
  const counts = of.map(({ title, rows }) => countRow(`[${title}](#${anchor(title)})`, rows));
  const all = countRow(
    '**all**',
    of.flatMap(({ rows }) => rows),
  );
  const parts = [
    INTRODUCTION,
    ['| section | upstream tests | held here | cannot apply |', '|---|--:|--:|--:|', ...counts, all]
      .join('\n')
      .concat('\n'),
    ...of.map(sectionText),
  ];
  return parts.join('\n');
}

function countRow(label: string, rows: readonly ConformanceRow[]): string {
  const held = rows.filter(({ specs }) => specs.length > 0).length;
  return `| ${label} | ${rows.length} | ${held} | ${rows.length - held} |`;
}

function sectionText({ title, rows }: ConformanceSection): string {
  const lines = rows.map(({ file, test, specs, because = '' }) => {
    return `| \`${file}\` ${test} | ${heldBy(specs)} | ${escaped(because)} |`;
  });
  return [
    `## ${title}`,
    '',
    '| upstream test | held by | note |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** Each spec file once, as a link, and below it the titles of its cases. */
function heldBy(specs: readonly SpecReference[]): string {
  const titles = new Map<string, string[]>();
  for (const { spec, title } of specs) {
    titles.set(spec, [...(titles.get(spec) ?? []), `• ${escaped(title)}`]);
  }
  return [...titles]
    .flatMap(([spec, ofSpec]) => [`[${escaped(spec)}](../spec/${spec})`, ...ofSpec])
    .join('<br>');
}

/** Characters that Markdown would read as the end of a cell or of a link, or as markup. */
function escaped(text: string): string {
  return text.replaceAll(/[|[\]\\<>*_]/g, '\\$&');
}

function anchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z -]/g, '')
    .replaceAll(' ', '-');
}
