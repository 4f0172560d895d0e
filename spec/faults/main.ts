/**
 * Lets an informer with default options go through everything that can happen to it, over real sockets: `npm run faults`.
 * `--peer @kubernetes/client-node` lets that one go through the same.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { listwatch } from './contestants/listwatch-contestant.ts';
import type { ContestantKind } from './contestants/contestant.ts';
import type { Fault } from './fault.ts';
import { allFaults } from './matrix/all-faults.ts';
import { describeFault, describeVerdict, heading } from './report.ts';
import { runCase, type Verdict } from './run-case.ts';

const USAGE = `npm run faults -- [options]

  --list         names the faults
  --only NAME    faults whose name contains this; may be given several times
  --seed TEXT    draws the writes anew; a red row says which one it was
  --peer NAME    @kubernetes/client-node goes through the same, in processes of its own
  --json FILE    writes the verdicts to a file
  --help         shows this`;

interface Options {
  readonly faults: readonly Fault[];
  readonly seed: string;
  readonly peer: string | undefined;
  readonly json: string | undefined;
}

const WIDTH_WITHOUT_TERMINAL = 140;

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  const { faults, seed, json } = options;
  // Said before the end: a rejection that nobody handles must not pass for a survival.
  process.on('unhandledRejection', (error) => {
    console.error('unhandled rejection:', error);
    process.exitCode = 1;
  });
  const verdicts = await runAll(faults, listwatch(), seed);
  print(verdicts, seed);
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ seed, verdicts }, null, 2)}\n`);
  if (verdicts.some(({ ok }) => !ok)) process.exitCode = 1;
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      seed: { type: 'string' },
      peer: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { only = [], seed = '1', peer, json } = values;
  if (values.help === true) {
    console.log(USAGE);
    return undefined;
  }
  const faults = allFaults.filter(
    ({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  if (faults.length === 0) {
    console.error(`no fault is named like ${only.join(', ')}; --list names them`);
    process.exitCode = 1;
    return undefined;
  }
  if (values.list === true) {
    for (const fault of faults) console.log(describeFault(fault));
    return undefined;
  }
  return { faults, seed, peer, json };
}

/** Most waits are back-off and silence, so all faults run at the same time. */
async function runAll(
  faults: readonly Fault[],
  kind: ContestantKind,
  seed: string,
): Promise<readonly Verdict[]> {
  return await Promise.all(faults.map((fault) => runCase(fault, kind, { seed })));
}

function print(verdicts: readonly Verdict[], seed: string): void {
  const { isTTY, columns } = process.stdout;
  const options = { colours: isTTY, width: columns ?? WIDTH_WITHOUT_TERMINAL, seed };
  console.log(heading('listwatch'));
  for (const verdict of verdicts) {
    for (const line of describeVerdict(verdict, options)) console.log(line);
  }
  const green = verdicts.filter(({ ok }) => ok).length;
  console.log(`${green} of ${verdicts.length} survived; seed ${seed}`);
}
