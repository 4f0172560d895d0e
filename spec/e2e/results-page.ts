import { areaOf, needOf, type CaseResult, type RecordedResults } from './recorded-results.ts';

/** The Markdown of docs/conformance-e2e.md. */
export function resultsPage({ suite, cases }: RecordedResults): string {
  const areas = [...new Set(cases.map(areaOf))].toSorted();
  const within = (area: string): CaseResult[] => cases.filter((one) => areaOf(one) === area);
  return `# Kubernetes' conformance cases

Kubernetes has an end-to-end suite, whose conformance cases say what every cluster does. This page has those of ${suite}, unchanged, run with
\`listwatch serve --controllers workloads --nodes 3\`. Its pods run as a model: no container is started, and there is no network between pods, so
cases that need those cannot pass, nor can cases of controllers that are not there yet. This is no certification.

The page is made from a run of \`npm run check -- conformance-cases --suite e2e.test --kubectl kubectl --record\`.

| area | passed | failed | cases |
|---|--:|--:|--:|
${[...areas.map((area) => countRow(area, within(area))), countRow('**all**', cases)].join('\n')}

${areas.map((area) => section(area, within(area))).join('\n\n')}
`;
}

function countRow(title: string, cases: readonly CaseResult[]): string {
  const passed = cases.filter(({ failure }) => failure === undefined).length;
  return `| ${title} | ${passed} | ${cases.length - passed} | ${cases.length} |`;
}

function section(area: string, cases: readonly CaseResult[]): string {
  const rows = cases.map((one) => `| ${titleOf(one)} | ${resultOf(one)} |`);
  return `## ${area}\n\n| case | result |\n|---|---|\n${rows.join('\n')}`;
}

function titleOf({ name }: CaseResult): string {
  return asCell(
    name.replace(/^\[sig-[a-z-]+\] /, '').replaceAll(/ \[(?:Conformance|Serial)\]/g, ''),
  );
}

function resultOf(one: CaseResult): string {
  if (one.failure === undefined) return 'passed';
  return asCell(`needs ${needOf(one) ?? `a look: ${one.failure}`}`);
}

function asCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
}
