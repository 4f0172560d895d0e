/**
 * Runs spec files in one process and writes, as a line of JSON for each, which probes it reached: `reach-child.ts FILE SPEC...`.
 * What runs while the files are imported is told for all of them together, in a last line without a spec.
 */
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Mocha from 'mocha';
import { PROBE } from './probes.ts';
import type { SpecReach } from './reach.ts';

const [output = '', ...specs] = process.argv.slice(2);
const loaded = new Set<number>();
let reached: Set<number> = loaded;
Object.assign(globalThis, { [PROBE]: (number: number) => reached.add(number) });

const mocha = new Mocha({ timeout: 600_000, reporter: 'min' });
for (const spec of specs) mocha.addFile(resolve(spec));
await mocha.loadFilesAsync();

const names = new Map(specs.map((spec) => [resolve(spec), spec]));
let current: { spec: string; startedMs: number; failed: boolean } | undefined;
const write = (line: SpecReach): void => appendFileSync(output, `${JSON.stringify(line)}\n`);
const end = (): void => {
  if (current === undefined) return;
  const { spec, startedMs, failed } = current;
  const tookMs = Math.round(performance.now() - startedMs);
  write({ spec, tookMs, failed, reached: [...reached] });
};
const enter = (file: string | undefined): void => {
  const spec = names.get(file ?? '');
  if (spec === undefined || spec === current?.spec) return;
  end();
  current = { spec, startedMs: performance.now(), failed: false };
  reached = new Set();
};
const runner = mocha.run((failures) => {
  end();
  write({ spec: undefined, tookMs: 0, failed: false, reached: [...loaded] });
  process.exit(failures > 0 ? 1 : 0);
});
runner.on('suite', ({ file }) => enter(file));
runner.on('test', ({ file }) => enter(file));
runner.on('fail', ({ title }, error) => {
  if (current !== undefined) current.failed = true;
  console.error(`${current?.spec}: ${title}: ${error}`);
});
