/** `npm run check -- types-time`: how much longer the compiler takes for a controller with types than for the same one with `any`. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { ROOT } from '../../package/manifest.ts';
import { npm, pack, run } from '../../package/packed-package.ts';
import { programWithAny } from './program-with-any.ts';

const USAGE = `npm run check -- types-time [--pairs N] [--typescript VERSION]

Compiles a controller of 200 lines against the packed package, N times with the types of its objects and N times with any in their
place, in turns (7 unless given). Prints the minimum and the median of both, and the difference; fails when the minimums
differ by more than 500 ms. VERSION is another TypeScript than that of the package.`;

const PROGRAM = join(ROOT, 'spec/types/programs/listwatch-types-controller.ts');
const SCRATCH = join(ROOT, '.tmp', 'types-time');
const NODE_TYPES = '@types/node@20.19.43';
const MOST_MS = 500;
const SHAPES = ['types', 'any'] as const;

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '7' },
    typescript: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const pairs = Number(values.pairs);
if (values.help || !Number.isInteger(pairs) || pairs < 1) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const version = values.typescript ?? ownTypeScript();
  await prepare(version);
  process.exitCode = await main(version);
}

async function main(version: string): Promise<number> {
  const times = { types: [] as number[], any: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const shape of SHAPES) times[shape].push(await compileMs(shape));
  }
  const text = readFileSync(join(SCRATCH, 'types', 'controller.ts'), 'utf8');
  console.log(`TypeScript ${version}, ${text.split('\n').length - 1} lines, ${pairs} pairs`);
  for (const shape of SHAPES) {
    const [least, median] = [Math.min(...times[shape]), medianOf(times[shape])];
    console.log(
      `${shape.padEnd(5)} minimum ${least.toFixed(0)} ms, median ${median.toFixed(0)} ms`,
    );
  }
  const least = Math.min(...times.types) - Math.min(...times.any);
  const median = medianOf(times.types) - medianOf(times.any);
  console.log(
    `types take ${least.toFixed(0)} ms longer by the minimum, ${median.toFixed(0)} ms by the median`,
  );
  return least <= MOST_MS ? 0 : 1;
}

async function prepare(version: string): Promise<void> {
  rmSync(SCRATCH, { recursive: true, force: true });
  const typed = readFileSync(PROGRAM, 'utf8').replace(/\n\/\*\* Uses that .*/s, '\n');
  const programs = { types: typed, any: programWithAny(typed) };
  for (const shape of SHAPES) {
    mkdirSync(join(SCRATCH, shape), { recursive: true });
    writeFileSync(join(SCRATCH, shape, 'controller.ts'), programs[shape]);
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
    };
    const config = JSON.stringify({ compilerOptions, files: ['controller.ts'] });
    writeFileSync(join(SCRATCH, shape, 'tsconfig.json'), config);
  }
  writeFileSync(join(SCRATCH, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts'];
  const tarball = await pack(SCRATCH);
  await npm(['install', ...quiet, tarball, NODE_TYPES, `typescript@${version}`], SCRATCH);
  // The first run of each reads the files from the disk.
  for (const shape of SHAPES) await compileMs(shape);
}

async function compileMs(shape: (typeof SHAPES)[number]): Promise<number> {
  const compiler = join(SCRATCH, 'node_modules', 'typescript', 'bin', 'tsc');
  const began = performance.now();
  await run(process.execPath, [compiler, '-p', join(SCRATCH, shape)]);
  return performance.now() - began;
}

function ownTypeScript(): string {
  const file = join(ROOT, 'node_modules', '@typescript/native', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}
