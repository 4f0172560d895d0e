import { parseArgs } from 'node:util';
import { runSharding, type ShardingRunOptions } from './sharding-run.ts';

const USAGE = `Divides 120 keys among 3 to 10 replicas in virtual time, with faults drawn from seeds.

  npm run check -- sharding [--seeds N] [--from N] [--faults NAME] [--server embedded|model]

  --faults NAME   all, "joins and leaves", crashes, deletions of Leases among all others (default: each of them)`;

const FAULTS: readonly ShardingRunOptions['faults'][] = [
  'joins and leaves',
  'crashes',
  'all',
  'deletions',
];

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    from: { type: 'string', default: '1' },
    faults: { type: 'string' },
    server: { type: 'string', default: 'embedded' },
    help: { type: 'boolean' },
  },
});
if (values.help === true) {
  console.log(USAGE);
} else {
  const server = values.server === 'model' ? 'model' : 'embedded';
  const chosen = FAULTS.filter((one) => (values.faults ?? one) === one);
  if (chosen.length === 0) throw new Error(`there are no faults ${values.faults}; see --help`);
  for (const faults of chosen) {
    let [runs, twice, drawn, bad] = [0, 0, 0, 0];
    const gapsMs: number[] = [];
    let longest = { gapMs: 0, seed: 0 };
    const from = Number(values.from);
    for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
      const report = await runSharding({ seed, server, faults });
      runs += report.runs;
      twice += report.twice;
      drawn += report.faults;
      for (const gapMs of report.gapsMs) {
        gapsMs.push(gapMs);
        if (gapMs > longest.gapMs) longest = { gapMs, seed };
      }
      const problems = [
        ...(report.twice > 0 ? [`${report.twice} runs of a key that another replica ran`] : []),
        ...(report.complete ? [] : ['keys that no replica ran at the end']),
        ...report.errors,
      ];
      if (problems.length === 0) continue;
      bad += 1;
      console.log(`seed ${seed}: ${problems.join('; ')}`);
      console.log(
        `  again: npm run check -- sharding --faults '${faults}' --server ${server} --from ${seed} --seeds 1`,
      );
    }
    const sorted = gapsMs.toSorted((one, other) => one - other);
    const at = (share: number): string =>
      ((sorted[Math.floor(sorted.length * share)] ?? 0) / 1000).toFixed(2);
    console.log(
      `${faults}: ${values.seeds} seeds, ${bad} bad: ${drawn} faults, ${runs} runs, ${twice} twice; a key waits ${at(0.5)} s (half), ${at(0.99)} s (99 %), ${at(0.9999)} s (99.99 %), ${(longest.gapMs / 1000).toFixed(1)} s (longest, in seed ${longest.seed})`,
    );
    if (bad > 0) process.exitCode = 1;
  }
}
