/**
 * Simulates the controllers of workloads: `npm run check -- simulate-cluster [--seeds N] [--variants N] [--from N] [--only NAME[,NAME]]`. The
 * seeds of a controller are shared out to variants, each with other operations of users. Exit code 1 when something was found.
 */
import { parseArgs } from 'node:util';
import { partSimulations, simulatePart } from './simulations.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    variants: { type: 'string', default: '20' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    replay: { type: 'string' },
    story: { type: 'boolean', default: false },
  },
});

function numberOf(name: 'seeds' | 'variants' | 'from'): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new Error(`--${name} has to be a whole number, not "${values[name]}"`);
}

const [seeds, variants, from] = [numberOf('seeds'), numberOf('variants'), numberOf('from')];
const { only, replay, story } = values;
const names = partSimulations.map(({ name }) => name);
const wanted = only?.split(',') ?? names;
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined) {
  throw new Error(`no controller is called "${unknown}": use ${names.join(', ')}`);
}
let alarms = 0;
for (const part of partSimulations.filter(({ name }) => wanted.includes(name))) {
  const startMs = performance.now();
  let [run, failed] = [0, 0];
  for (let variant = from; variant < from + variants; variant += 1) {
    const last = Math.ceil(seeds / variants);
    const { report, failures } = await simulatePart(part, variant, {
      seeds: last,
      systematic: false,
      replay,
    });
    run += Object.values(report.plans).reduce((sum, one) => sum + one.run, 0);
    for (const failure of failures) {
      const { cause, runs, findings, plan } = failure;
      failed += runs;
      console.log(`    variant ${variant}: ${runs} of ${cause}`);
      console.log(`      ${findings[0]?.message}\n      ${JSON.stringify(plan)}`);
      if (story) console.log(failure.story);
    }
  }
  const seconds = (performance.now() - startMs) / 1000;
  console.log(`${part.name.padEnd(26)} ${run} seeds, ${failed} failed, ${seconds.toFixed(0)} s`);
  alarms += failed;
}
if (alarms > 0) process.exitCode = 1;
