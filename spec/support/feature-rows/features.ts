import type { SpecTitles } from '../upstream-rows/conformance.ts';
import { deliveryRows, listWatchRows, storeRows } from './cache-rows.ts';
import { clientRows, testingRows } from './client-rows.ts';
import { frameworkRows, queueRows } from './controller-rows.ts';
import type { FeatureRow } from './feature-row.ts';
import { electionRows } from './replica-rows.ts';

export interface FeatureSection {
  readonly title: string;
  readonly rows: readonly FeatureRow[];
}

export const featureSections: readonly FeatureSection[] = [
  { title: 'List and watch', rows: listWatchRows },
  { title: 'Store', rows: storeRows },
  { title: 'Delivery and mapping', rows: deliveryRows },
  { title: 'Queue and retries', rows: queueRows },
  { title: 'Controllers', rows: frameworkRows },
  { title: 'Leader election', rows: electionRows },
  { title: 'Client', rows: clientRows },
  { title: 'Testing and introspection', rows: testingRows },
];

/** How many features the list has. */
export const FEATURES = 110;
/** A reason has at least as many characters as this. */
const SHORTEST_REASON = 60;

/** Numbers from 1 to 110 that are missing, come twice, or are out of order. */
export function misnumberedRows(rows: readonly FeatureRow[]): string[] {
  return Array.from({ length: Math.max(FEATURES, rows.length) }, (_, index) => index + 1)
    .filter((number) => rows[number - 1]?.number !== number)
    .map((number) => `row ${number} is ${rows[number - 1]?.number ?? 'missing'}`);
}

/** Rows that do not say enough: a feature that is there names file and spec, one that comes later says why. */
export function unexplainedFeatures(rows: readonly FeatureRow[]): string[] {
  return rows
    .filter(({ code, spec, because = '' }) => {
      if (code !== undefined) return spec === undefined || because !== '';
      return spec !== undefined || because.length < SHORTEST_REASON;
    })
    .map(({ number }) => `row ${number}`);
}

/** Rows whose file or case does not exist, or whose case does not run or shares its title with another one of its file. */
export function brokenLinks(
  rows: readonly FeatureRow[],
  titles: SpecTitles,
  codeExists: (code: string) => boolean,
): string[] {
  return rows.flatMap(({ number, code, spec }) => {
    const wrong = code === undefined || codeExists(code) ? [] : [`row ${number}: no lib/${code}`];
    if (spec === undefined) return wrong;
    const count = (titles.get(spec.spec) ?? []).filter((title) => title === spec.title).length;
    if (count === 1) return wrong;
    return [...wrong, `row ${number}: ${count} cases in ${spec.spec} are called "${spec.title}"`];
  });
}

const INTRODUCTION = `# Features

What authors of controllers find in client-go, controller-runtime, kube-rs, fabric8, the Java operator SDK and kopf, as one list of
${FEATURES} features. Each row says how it is here, in which file, and which case of a spec fails when it is broken.

The rows are data in \`spec/support/feature-rows/\`. \`spec/features.spec.ts\` checks files and cases, and writes this page with
\`LISTWATCH_UPDATE_DOCS=1\`.
`;

/** The text of `docs/features.md`. */
export function featuresPage(sections: readonly FeatureSection[]): string {
  const all = sections.flatMap(({ rows }) => rows);
  const there = all.filter(({ code }) => code !== undefined).length;
  const summary = `${there} of ${all.length} are there; ${all.length - there} come later.\n`;
  return [INTRODUCTION, summary, ...sections.map(sectionText)].join('\n');
}

function sectionText({ title, rows }: FeatureSection): string {
  return [
    `## ${title}`,
    '',
    '| # | feature | here | code | fails when it is broken |',
    '|--:|---|---|---|---|',
    ...rows.map(rowText),
    '',
  ].join('\n');
}

function rowText({ number, feature, code, spec, because = '' }: FeatureRow): string {
  const start = `| ${number} | ${escaped(feature)} |`;
  if (code === undefined || spec === undefined) return `${start} later | – | ${escaped(because)} |`;
  const codeLink = `[${nameOf(code)}](../lib/${code})`;
  return `${start} yes | ${codeLink} | [${nameOf(spec.spec)}](../spec/${spec.spec}): ${escaped(spec.title)} |`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Characters that Markdown would read as the end of a cell, in code too, or as markup outside code. */
function escaped(text: string): string {
  return text
    .split('`')
    .map((part, index) => part.replaceAll(index % 2 === 1 ? /\|/g : /[|[\]\\<>*_]/g, '\\$&'))
    .join('`');
}
