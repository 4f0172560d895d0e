/**
 * `npm run bench`: runs the benches, each several times in processes of its own, and prints what they came to.
 *
 * - `--only W2` (again for more): these only, by id or name, whatever the case; `--list` names them all
 * - `--quick`: less work and fewer runs
 * - `--repeats n`: this many runs of each
 * - `--json file`: where all samples are written, by default `.bench/figures.json`
 *
 * The process of one run is `main.ts --run name`, which prints the figures as JSON. Progress, and what is left out, is told on
 * stderr. How to profile one contestant of the client workloads (W1 and on) is said in `workload/ours.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure } from './bench.ts';
import { ratiosOf, ratioTable, rowsOf, table, type Ratio, type Row } from './report.ts';
import { benchNames, chosenBenches, loadBench, runInChild } from './run-bench.ts';
import { BENCH_FOLDER } from './workload/programs.ts';

const FULL_REPEATS = 5;
const QUICK_REPEATS = 3;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    quick: { type: 'boolean' },
    tiny: { type: 'boolean' },
    repeats: { type: 'string' },
    json: { type: 'string' },
    run: { type: 'string' },
  },
});

const size = values.tiny === true ? 'tiny' : values.quick === true ? 'quick' : 'full';

async function measure(name: string): Promise<(readonly Figure[])[]> {
  const { id, title, prepare, ...bench } = await loadBench(name);
  if (size !== 'tiny') await prepare?.();
  const usual =
    size === 'full' ? (bench.repeats ?? FULL_REPEATS) : (bench.quickRepeats ?? QUICK_REPEATS);
  const repeats = values.repeats === undefined ? usual : Number(values.repeats);
  const runs: (readonly Figure[])[] = [];
  for (let run = 1; run <= repeats; run += 1) {
    const label = id === undefined ? name : `${id} ${name}`;
    process.stderr.write(`${label}: ${title} (run ${run} of ${repeats})\n`);
    runs.push(await runInChild(name, size));
  }
  return runs;
}

async function measureAll(): Promise<void> {
  const rows: Row[] = [];
  const ratios: Ratio[] = [];
  for (const name of await chosenBenches(values.only)) {
    const runs = await measure(name);
    rows.push(...rowsOf(name, runs));
    ratios.push(...ratiosOf(name, runs));
  }
  const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
  const tables = [table(rows), ratioTable(ratios)].filter((text) => text !== '').join('\n\n');
  console.log(`${machine}, ${size}\n\n${tables}`);
  const path = values.json ?? join(BENCH_FOLDER, 'figures.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ machine, size, rows, ratios }, undefined, 2)}\n`);
  process.stderr.write(`all samples: ${path}\n`);
}

if (values.list === true) {
  for (const name of benchNames()) {
    const { id, title } = await loadBench(name);
    console.log(`${id === undefined ? '' : `${id} `}${name}: ${title}`);
  }
} else if (values.run !== undefined) {
  const { run } = await loadBench(values.run);
  console.log(JSON.stringify(await run(size)));
} else {
  await measureAll();
}
