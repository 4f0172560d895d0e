import {
  areaOf,
  missingFor,
  verdictOf,
  type CaseResult,
  type RecordedResults,
} from './recorded-results.ts';

/** The Markdown of docs/conformance-e2e.md. */
export function resultsPage({ suite, real, cases }: RecordedResults): string {
  const areas = [...new Set(cases.map(areaOf))].toSorted();
  const within = (area: string): CaseResult[] => cases.filter((one) => areaOf(one) === area);
  return `# Kubernetes' conformance cases

Kubernetes has an end-to-end suite, whose conformance cases say what every cluster does. This page has the cases of the areas that concern the API
server and its clients, of ${suite}, run with \`listwatch serve\` and two nodes that are Ready and run nothing. A case that failed was run with
kube-apiserver and kube-controller-manager ${real} and the same nodes: where it fails there too, it needs pods that run. This is no
certification: that takes every case of the suite.

The page is made from a run of \`npm run check -- conformance-cases --suite e2e.test --kubectl kubectl --kubeconfig FILE --record\`.

| area | passed | failed, and passes with the real server | needs running pods |
|---|--:|--:|--:|
${[...areas.map((area) => countRow(area, within(area))), countRow('**all**', cases)].join('\n')}

${areas.map((area) => section(area, within(area))).join('\n\n')}
`;
}

function countRow(title: string, cases: readonly CaseResult[]): string {
  const count = (verdict: string): number =>
    cases.filter((one) => verdictOf(one) === verdict).length;
  return `| ${title} | ${count('passed')} | ${count('differs')} | ${count('needs pods')} |`;
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
  const verdict = verdictOf(one);
  if (verdict === 'passed') return 'passed';
  if (verdict === 'needs pods') return 'needs running pods';
  return asCell(`failed, needs ${missingFor(one)}: ${one.ours}`);
}

function asCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
}
