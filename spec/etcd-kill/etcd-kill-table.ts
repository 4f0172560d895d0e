import type { EtcdKillReport } from './etcd-kill-run.ts';

const MOST_SHOWN = 5;

/** The report as people read it: what was found, what it was found among, and the first few of what must not be. */
export function reportTable(report: EtcdKillReport): string {
  const { api, attacks } = report;
  const rows: (readonly [string, readonly string[], string])[] = [
    ['acknowledged writes lost', report.lostWrites, `${report.acknowledgedWrites} writes`],
    [
      'histories not linearizable',
      report.histories,
      `${report.operations} operations, ${report.unknownOutcomes} of unknown outcome`,
    ],
    [
      'watch guarantees broken',
      report.watchViolations,
      `${report.watches} watches, ${report.watchEvents} events`,
    ],
    ['informers that differ', report.divergedInformers, `${report.relists} relists`],
    ['servers that disagree', report.disagreements, `revision ${report.finalRevision}`],
    [
      'API answers without a Status, or too late',
      api.violations,
      `${api.requests} requests, the slowest ${api.slowestMs} ms`,
    ],
  ];
  const count = (values: Readonly<Record<string, number>>): string =>
    Object.entries(values)
      .map(([name, number]) => `${name}: ${number}`)
      .join(', ');
  return [
    `etcd-kill ${report.verdict}: ${report.kills} kills in ${report.seconds} s, seed ${report.seed}, ${report.binary}`,
    ...rows.map(
      ([name, found, among]) =>
        `  ${name.padEnd(42)} ${String(found.length).padStart(5)}   ${among}`,
    ),
    `  attacks: ${count(attacks)}`,
    `  API failures: ${count(api.failures)}; ${api.reportedUnknown} said that the outcome is not known`,
    `  a leader after ${report.slowestRecoveryMs} ms at most; everything had caught up after ${report.convergedMs} ms`,
    ...rows.flatMap(([name, found]) =>
      found.slice(0, MOST_SHOWN).map((one) => `  ${name}: ${one}`),
    ),
  ].join('\n');
}
