/**
 * Reads frames and lists that were changed at random, as bytes and with JSON.parse, and compares: `npm run check -- fuzz-json`.
 */
import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Tally } from './fuzz/check.ts';
import { play } from './fuzz/play.ts';

const USAGE = `npm run check -- fuzz-json [options]

  --frames n     how many frames and pages (1000000)
  --seed n       draws others (1)
  --only n       one course of the seed, with what it reads
  --help         shows this`;

const FAILURES_SHOWN = 5;
/** Courses between two looks for a signal. */
const COURSES = 50;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      frames: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { frames, seed, only } = values;
  if (values.help) console.log(USAGE);
  else if (only === undefined) await playMany(Number(frames), seed);
  else playOne(seed, only);
}

/** A run that is interrupted prints what it came to, and ends as an interrupted one. */
async function playMany(frames: number, seed: string): Promise<void> {
  const tally = new Tally();
  let stop: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    stop = signal;
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const startMs = performance.now();
  let failures = 0;
  for (let course = 0; (tally.counts.get('documents') ?? 0) < frames; course += 1) {
    if (course % COURSES === 0) await setImmediate();
    if (stop !== undefined) break;
    const { problem } = play(`${seed}/${course}`, tally);
    if (problem === undefined) continue;
    failures += 1;
    console.log(
      `FAILED ${problem.slice(0, 2000)}\n  npm run check -- fuzz-json --seed ${seed} --only ${course}`,
    );
    if (failures === FAILURES_SHOWN) break;
  }
  for (const [what, count] of [...tally.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${String(count).padStart(10)}  ${what}`);
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  if (stop !== undefined) console.log(`interrupted by ${stop}, before all frames were read`);
  console.log(
    `seed ${seed}: ${failures === 0 ? 'no difference' : `${failures} FAILED`}, ${seconds} s`,
  );
  if (failures > 0) process.exitCode = 1;
  else if (stop !== undefined) process.exitCode = 128 + constants.signals[stop];
}

function playOne(seed: string, course: string): void {
  const { pieces, problem } = play(`${seed}/${course}`, new Tally());
  console.log(JSON.stringify(Buffer.concat(pieces).toString('latin1')));
  console.log(`in pieces of ${pieces.map(({ length }) => length).join(', ')} bytes`);
  console.log(problem === undefined ? 'no difference' : `FAILED ${problem}`);
  if (problem !== undefined) process.exitCode = 1;
}
