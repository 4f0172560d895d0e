/** The result of one run of the suite. */
export interface EnvtestRun {
  readonly passed: number;
  readonly total: number;
  readonly firstTestMs: number;
}

/** Reads the output of a suite of Ginkgo. @throws {Error} with its end, when the suite did not come to its tests. */
export function readEnvtestRun(output: string): EnvtestRun {
  const first = /^first test after (\d+) ms$/m.exec(output);
  const ran = /^Ran (\d+) of \d+ Specs/m.exec(output);
  const passed = /(\d+) Passed \|/.exec(output);
  if (first === null || ran === null || passed === null) {
    throw new Error(
      `the suite ended before its tests:\n${output.split('\n').slice(-30).join('\n')}`,
    );
  }
  return { passed: Number(passed[1]), total: Number(ran[1]), firstTestMs: Number(first[1]) };
}

/** A line for the runs of one side: the worst count of tests, and the median of the times. */
export function envtestLine(name: string, runs: readonly EnvtestRun[]): string {
  const times = runs.map(({ firstTestMs }) => firstTestMs).toSorted((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const passed = Math.min(...runs.map((run) => run.passed));
  const total = Math.max(...runs.map((run) => run.total));
  const seconds = (median / 1000).toFixed(1);
  return `${name.padEnd(10)} ${passed} of ${total} tests passed, first test after ${seconds} s`;
}
