/**
 * Loses a node in virtual time, once for each seed, and prints a digest of all writes of each hundred of them, which is the same on every
 * machine and version of Node; then the real time from the loss until the pods run elsewhere:
 * `npm run check -- cluster-traces [--seeds N] [--from SEED] [--print]`. Where two digests differ, `--print` prints the digest of each seed,
 * and of a single seed the writes themselves.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runNodeLoss, type NodeLoss } from './node-loss.ts';

const TOGETHER = 100;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    print: { type: 'boolean', default: false },
  },
});
const [seeds, from] = [wholeNumber('seeds', values.seeds), wholeNumber('from', values.from)];
const losses: NodeLoss[] = [];
const realMs: number[] = [];
let hash = createHash('sha256');
let first = from;

for (let seed = from; seed < from + seeds; seed += 1) {
  let startMs = 0;
  const loss = await runNodeLoss(seed, {
    onLoss: () => {
      startMs = performance.now();
    },
    onReplaced: () => realMs.push(performance.now() - startMs),
  });
  hash.update(loss.digest);
  losses.push(loss);
  if (values.print) {
    for (const line of seeds === 1 ? loss.trace : []) console.log(line);
    const { nodes, replicas, lostAfterMs, replacedAfterMs, timers, writes } = loss;
    const times = `not ready after ${lostAfterMs} ms, replaced after ${Math.round(replacedAfterMs)} ms`;
    const counts = `${timers} timers, ${writes} writes`;
    console.log(`${seed} ${loss.digest} ${nodes} nodes, ${replicas} pods: ${times}; ${counts}`);
  }
  if ((seed + 1 - from) % TOGETHER > 0 && seed + 1 < from + seeds) continue;
  console.log(`seeds ${first} to ${seed}: ${hash.digest('hex')}`);
  hash = createHash('sha256');
  first = seed + 1;
}
const milliseconds = [0.5, 0.95].map((share) => `${at(realMs, share)} ms`);
const timers = losses.map((one) => one.timers);
console.error(`real time: median ${milliseconds[0]}, 95 % within ${milliseconds[1]}`);
console.error(`timers: median ${at(timers, 0.5)}, at most ${at(timers, 1)}`);

/** A value of the sorted numbers, at a share of them. */
function at(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return Math.round(sorted[index] ?? 0);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} has to be a whole number from 1, not "${text}"`);
}
