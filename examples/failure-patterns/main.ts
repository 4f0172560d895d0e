import { runProgram, UsageError } from '../support/program.ts';
import { brokenByPlan, brokenBySeed, brokenInCalm, PATTERNS } from './patterns.ts';

const ABOUT = `Tries two operators for each of the three failure patterns of controllers, a wrong one and a right one, under the same
faults: on API servers in this process, and in virtual time.

  --seeds N           runs with random faults, for each operator (default: 10)
`;

await runProgram({
  name: 'failure-patterns',
  about: ABOUT,
  options: { seeds: { type: 'string' } },
  main: async ({ seeds = '10', kubeconfig, context }, signal) => {
    if (kubeconfig !== undefined || context !== undefined) {
      throw new UsageError('the faults need servers in this process; leave out --kubeconfig');
    }
    if (!/^\d{1,6}$/.test(seeds)) throw new UsageError(`--seeds must be a number, not ${seeds}`);
    for (const pattern of PATTERNS) {
      console.log(pattern.name);
      for (const which of ['wrong', 'right'] as const) {
        const say = (broken: readonly string[]): string => broken.join('; ') || 'nothing is broken';
        console.log(`  ${which}  without faults: ${say(await brokenInCalm(pattern, which))}`);
        console.log(`         by plan: ${say(await brokenByPlan(pattern, which))}`);
        let caught = 0;
        for (let seed = 1; seed <= Number(seeds); seed += 1) {
          signal.throwIfAborted();
          if ((await brokenBySeed(pattern, which, seed)).length > 0) caught += 1;
        }
        console.log(`         by seed: broken in ${caught} of ${seeds} courses`);
      }
    }
  },
});
