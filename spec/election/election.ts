import { parseArgs } from 'node:util';
import { runElection, type ElectionRunOptions, type ElectionRunReport } from './election-run.ts';

const USAGE = `Runs leader election in virtual time, with faults drawn from seeds, and counts what must not happen.

  npm run check -- election [--seeds N] [--from N] [--scenario NAME] [--server NAME]

  --seeds N         number of seeds (default: 100)
  --from N          the first one (default: 1)
  --scenario NAME   local, strict, pauses, pauses-strict, coordinated, coordinated-strict (default: all)
  --server NAME     embedded, or model, which takes less time (default: embedded)

  Each seed has three processes: clocks that differ by up to 10 s and are set, stops of up to 60 s, a network that is cut for up to 60 s
  and delivers late or never, kills and restarts.
  pauses: processes are stopped between the last check and the socket too.
  coordinated: a coordinator chooses the leader among the processes; it compares their times with its own clock.`;

/** By name. */
const SCENARIOS: Readonly<Record<string, Omit<ElectionRunOptions, 'seed' | 'server'>>> = {
  local: { fencing: 'local', socketPauses: false },
  strict: { fencing: 'strict', socketPauses: false },
  pauses: { fencing: 'local', socketPauses: true },
  'pauses-strict': { fencing: 'strict', socketPauses: true },
  coordinated: { fencing: 'local', socketPauses: false, coordinated: true },
  'coordinated-strict': { fencing: 'strict', socketPauses: true, coordinated: true },
};

/** Seeds between two lines on standard error. */
const PROGRESS = 500;

type Count = Exclude<keyof ElectionRunReport, 'seed' | 'leads' | 'endings' | 'errors'>;

const COUNTS: readonly Count[] = [
  'faults',
  'terms',
  'sent',
  'accepted',
  'sentAfterExpiry',
  'sentAfterPause',
  'acceptedStale',
  'overlaps',
];

/** The violations found with a seed; empty when it is good. */
function problems(name: string, report: ElectionRunReport): string[] {
  const strict = SCENARIOS[name]?.fencing === 'strict';
  return [
    ...(report.sentAfterExpiry > 0 ? [`${report.sentAfterExpiry} writes sent after expiry`] : []),
    ...(report.overlaps > 0 ? [`${report.overlaps} times two valid leases`] : []),
    ...(strict && report.acceptedStale > 0
      ? [`${report.acceptedStale} stale writes accepted`]
      : []),
    ...(report.leads ? [] : ['no leader at the end']),
    ...report.errors,
  ];
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    server: { type: 'string', default: 'embedded' },
    help: { type: 'boolean' },
  },
});
if (values.help === true) {
  console.log(USAGE);
} else {
  const server = values.server === 'model' ? 'model' : 'embedded';
  const from = Number(values.from);
  const names = values.scenario === undefined ? Object.keys(SCENARIOS) : [values.scenario];
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`there is no scenario ${name}; see --help`);
    const begun = performance.now();
    const sums = new Map<Count, number>(COUNTS.map((count) => [count, 0]));
    const endings: Record<string, number> = {};
    let bad = 0;
    for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
      const report = await runElection({ seed, server, ...scenario });
      for (const count of COUNTS) sums.set(count, (sums.get(count) ?? 0) + report[count]);
      for (const [code, times] of Object.entries(report.endings)) {
        endings[code] = (endings[code] ?? 0) + times;
      }
      if ((seed - from + 1) % PROGRESS === 0) {
        console.error(
          `${name}: ${seed - from + 1} seeds, ${bad} bad, ${JSON.stringify(Object.fromEntries(sums))}`,
        );
      }
      const found = problems(name, report);
      if (found.length === 0) continue;
      bad += 1;
      console.log(`seed ${seed}: ${found.join('; ')}`);
      console.log(`  again: npm run check -- election --scenario ${name} --from ${seed} --seeds 1`);
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const counts = [...sums].map(([count, sum]) => `${count} ${sum}`).join(', ');
    const ended = Object.entries(endings)
      .map(([code, times]) => `${code} ${times}`)
      .join(', ');
    console.log(
      `${name}: ${values.seeds} seeds in ${seconds} s, ${bad} bad: ${counts}; ended: ${ended}`,
    );
    if (bad > 0) process.exitCode = 1;
  }
}
