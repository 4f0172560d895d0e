/**
 * Random rollouts, crashes and lost nodes in a cluster of Deployments for many hours of virtual time; then compares what it holds with what
 * it held after as many hours before: `npm run check -- cluster-soak [--hours N] [--warm-up N] [--seed N]`.
 */
import { parseArgs } from 'node:util';
import { heapUsed } from '../../support/heap-used.ts';
import { runClusterSoak, type Holdings } from './cluster-soak.ts';

const MEBIBYTE = 1024 * 1024;
/** Code that was compiled and forms of objects that were learned meanwhile. */
const MORE_HEAP = 1.1;

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    'warm-up': { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
  },
});
const [hours, seed] = [wholeNumber('hours', values.hours), wholeNumber('seed', values.seed)];
const warmUpHours = wholeNumber('warm-up', values['warm-up']);
const startMs = performance.now();
const { begin, end, operations, writes } = await runClusterSoak({
  seed,
  hours,
  warmUpHours,
  onHour: (hour, done) => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const count = Object.values(done).reduce((sum, one) => sum + one, 0);
    const heap = `${Math.round(heapUsed() / MEBIBYTE)} MiB`;
    console.error(
      `${hour} of ${warmUpHours + hours} hours after ${seconds} s: ${count} operations, ${heap}`,
    );
  },
});
const rows: readonly (readonly [name: string, of: (held: Holdings) => number])[] = [
  ['timers', ({ timers }) => timers],
  ['keys', ({ keys }) => keys],
  ['objects in caches of the server', ({ cached }) => cached],
  ['watchers', ({ watchers }) => watchers],
  ['heap, MiB', ({ heapBytes }) => Math.round(heapBytes / MEBIBYTE)],
];
console.log(`${hours} hours, seed ${seed}: ${writes} writes, ${JSON.stringify(operations)}`);
for (const [name, of] of rows) console.log(`${name}: ${of(begin)} at first, ${of(end)} in the end`);
const grown = rows.slice(0, -1).filter(([, of]) => of(end) > of(begin));
if (end.heapBytes > begin.heapBytes * MORE_HEAP) grown.push(...rows.slice(-1));
if (end.state !== begin.state)
  console.log(`state at first: ${begin.state}\nin the end: ${end.state}`);
for (const [name] of grown) console.log(`grown: ${name}`);
process.exitCode = grown.length === 0 ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} has to be a whole number from 1, not "${text}"`);
}
