/**
 * `npm run bench`: runs the benches, each several times in processes of its own, and prints what they came to.
 *
 * - `--only name` (again for more): these only; `--list` names them all
 * - `--quick`: less work and fewer runs
 * - `--repeats n`: this many runs of each
 * - `--json file`: writes all samples there too
 *
 * The process of one run is `main.ts --run name`, which prints the figures as JSON.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Figure } from './bench.ts';
import { rowsOf, table, type Row } from './report.ts';
import { benchNames, loadBench, runInChild } from './run-bench.ts';

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

function chosen(): string[] {
  const names = benchNames();
  const { only = names } = values;
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no bench is called ${unknown.join(', ')}; there are ${names.join(', ')}`);
  }
  return names.filter((name) => only.includes(name));
}

async function measure(name: string): Promise<Row[]> {
  const bench = await loadBench(name);
  const usual = size === 'full' ? (bench.repeats ?? FULL_REPEATS) : QUICK_REPEATS;
  const repeats = values.repeats === undefined ? usual : Number(values.repeats);
  const runs: (readonly Figure[])[] = [];
  for (let run = 1; run <= repeats; run += 1) {
    process.stderr.write(`${name}: ${bench.title} (run ${run} of ${repeats})\n`);
    runs.push(await runInChild(name, size));
  }
  return rowsOf(name, runs);
}

const size = values.tiny === true ? 'tiny' : values.quick === true ? 'quick' : 'full';

async function measureAll(): Promise<void> {
  const rows: Row[] = [];
  for (const name of chosen()) rows.push(...(await measure(name)));
  const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
  console.log(`${machine}, ${size}\n\n${table(rows)}`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine, size, rows }, undefined, 2)}\n`);
  }
}

if (values.list === true) {
  for (const name of benchNames()) console.log(`${name}: ${(await loadBench(name)).title}`);
} else if (values.run !== undefined) {
  const { run } = await loadBench(values.run);
  console.log(JSON.stringify(await run(size)));
} else {
  await measureAll();
}
