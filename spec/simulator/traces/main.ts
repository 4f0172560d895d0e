/**
 * Prints a line with the digest of the traces of each simulated controller, the wrong ones of the corpus and those of `examples/`:
 * `npm run check -- simulate-traces [--seeds N] [--only NAME[,NAME]] [--print]`. The lines are the same on every machine and version of
 * Node; where two differ, `--print` prints the plans and traces themselves.
 */
import { parseArgs } from 'node:util';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import { knownBugs } from '../corpus/index.ts';
import { configMapSimulations } from '../examples/config-maps.ts';
import { databaseSimulations } from '../examples/databases.ts';
import siteOperator from '../examples/site-operator.simulation.ts';
import { digestLine, moduleTraces, seedTraces, type SeedTrace } from './seed-traces.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    only: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
});
const seeds = Number(values.seeds);
if (!Number.isInteger(seeds) || seeds < 0) {
  throw new Error(`--seeds has to be a whole number, not "${values.seeds}"`);
}

type Traced = () => Promise<readonly SeedTrace[]>;

function traced<Types extends object>(options: SimulationOptions<Types>): Traced {
  return () => seedTraces(options, seeds);
}

const tricks = new URL('../ambient/support/tricks.simulation.ts', import.meta.url).href;
const all = new Map<string, Traced>([
  ...knownBugs.map(({ name, wrong, world, workload }): [string, Traced] => [
    name,
    traced({ controllers: wrong, world, workload }),
  ]),
  ['site-operator', traced(siteOperator)],
  ...Object.entries(databaseSimulations).map(([name, one]): [string, Traced] => [
    name,
    traced(one),
  ]),
  ...Object.entries(configMapSimulations).map(([name, one]): [string, Traced] => [
    name,
    traced(one),
  ]),
  ['ambient', () => moduleTraces(tricks)],
]);

for (const name of values.only?.split(',') ?? all.keys()) {
  const run = all.get(name);
  if (run === undefined) {
    throw new Error(`no controller is called "${name}": use ${[...all.keys()].join(', ')}`);
  }
  const traces = await run();
  if (values.print) for (const { plan, trace } of traces) console.log(`${plan}\n${trace}\n`);
  console.log(digestLine(name, traces));
}
