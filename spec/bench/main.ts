/**
 * `npm run bench`: runs the benches, each several times in processes of its own, and prints what they came to.
 *
 * The process of one run is `main.ts --run name`, which prints the figures as JSON. Progress, and what is left out, is printed on
 * stderr. How to profile one contestant of the client workloads (W1 and on) is said in `workload/ours.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { against } from './against.ts';
import type { Bench, Figure } from './bench.ts';
import { writePlots } from './plots.ts';
import { ratiosOf, ratioTables, rowsOf, table, type Ratio, type Row } from './report.ts';
import { benchNames, chosenBenches, loadBench, runInChild } from './run-bench.ts';
import { takeOnly } from './workload/contest.ts';
import { takeTls } from './workload/bench-tls.ts';
import { BENCH_FOLDER, takeNode22 } from './workload/programs.ts';

const USAGE = `npm run bench -- [options]

  --list             names the benches
  --only W2          this one only (again for more), by id or name, whatever the case
  --quick            less work and fewer runs
  --who TEXT         of the contestants of the client workloads only those with this text in their names (again for more)
  --tls              the client workloads over TLS (HTTP/1.1), instead of plain HTTP
  --node22 PATH      the Node that runs client-node 2.0.1, if this one is older; without it, that contestant is left out
  --repeats N        this many runs of each
  --against FOLDER   runs them in another checkout too, by turns, and prints how many times better this one is
  --plots            draws what W9 came to into docs/performance
  --json FILE        where all samples are written (.bench/figures.json)
  --help             shows this`;

const FULL_REPEATS = 5;
const QUICK_REPEATS = 3;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    quick: { type: 'boolean' },
    tiny: { type: 'boolean' },
    repeats: { type: 'string' },
    who: { type: 'string', multiple: true },
    plots: { type: 'boolean' },
    json: { type: 'string' },
    run: { type: 'string' },
    node22: { type: 'string' },
    tls: { type: 'boolean' },
    against: { type: 'string' },
    help: { type: 'boolean' },
  },
});

// A program that is measured runs as in production: informers do not freeze objects then.
process.env['NODE_ENV'] ??= 'production';

if (values.node22 !== undefined) takeNode22(values.node22);
if (values.tls === true) takeTls(BENCH_FOLDER);

const size = values.tiny === true ? 'tiny' : values.quick === true ? 'quick' : 'full';

function labelOf(name: string, { id }: Bench): string {
  return id === undefined ? name : `${id} ${name}`;
}

type Runs = (readonly Figure[])[];

/** Adds the figures of each run to `runs` when it has ended. */
async function measure(name: string, bench: Bench, runs: Runs): Promise<void> {
  const { title, prepare } = bench;
  if (size !== 'tiny') await prepare?.();
  const usual =
    size === 'full' ? (bench.repeats ?? FULL_REPEATS) : (bench.quickRepeats ?? QUICK_REPEATS);
  const repeats = values.repeats === undefined ? usual : Number(values.repeats);
  for (let run = 1; run <= repeats; run += 1) {
    process.stderr.write(`${labelOf(name, bench)}: ${title} (run ${run} of ${repeats})\n`);
    runs.push(await runInChild(name, size));
  }
}

async function measureAll(): Promise<void> {
  const measured: { readonly label: string; readonly runs: Runs }[] = [];
  const cutOff = (signal: NodeJS.Signals): void => {
    const { label = 'the first bench', runs = [] } = measured.at(-1) ?? {};
    process.stderr.write(`cut off by ${signal}, after ${runs.length} runs of ${label}\n`);
    report(measured);
    process.exit(128 + constants.signals[signal]);
  };
  process.once('SIGINT', cutOff).once('SIGTERM', cutOff);
  for (const name of await chosenBenches(values.only)) {
    const bench = await loadBench(name);
    const runs: Runs = [];
    measured.push({ label: labelOf(name, bench), runs });
    await measure(name, bench, runs);
  }
  process.off('SIGINT', cutOff).off('SIGTERM', cutOff);
  const rows = report(measured);
  const plots = values.plots === true ? writePlots(rows) : [];
  for (const plot of plots) process.stderr.write(`drawn: ${plot}\n`);
}

/** Prints what the benches came to, and writes all samples. */
function report(
  measured: readonly { readonly label: string; readonly runs: Runs }[],
): readonly Row[] {
  const rows = measured.flatMap(({ label, runs }) => rowsOf(label, runs));
  const ratios: Ratio[] = measured.flatMap(({ label, runs }) => ratiosOf(label, runs));
  const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
  const tables = [table(rows), ...ratioTables(ratios)];
  console.log(`${machine}, ${size}\n\n${tables.join('\n\n')}`);
  const path = values.json ?? join(BENCH_FOLDER, 'figures.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ machine, size, rows, ratios }, undefined, 2)}\n`);
  process.stderr.write(`all samples: ${path}\n`);
  return rows;
}

if (values.help === true) {
  console.log(USAGE);
} else if (values.list === true) {
  for (const name of benchNames()) {
    const bench = await loadBench(name);
    console.log(`${labelOf(name, bench)}: ${bench.title}`);
  }
} else if (values.run !== undefined) {
  const { run } = await loadBench(values.run);
  console.log(JSON.stringify(await run(size)));
} else if (values.against !== undefined) {
  const names = await chosenBenches(values.only);
  const repeats = Number(values.repeats ?? QUICK_REPEATS);
  console.log(await against({ checkout: values.against, names, size, repeats }));
} else {
  if (values.who !== undefined) takeOnly(values.who);
  await measureAll();
}
