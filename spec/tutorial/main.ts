/**
 * `npm run check -- tutorial`: does what docs/tutorial.md says, in an empty folder and with the packed tarball, block by block. A block
 * with `file=NAME` is written to that file, with `append` at its end; a block `sh` is run. Exits with 1 at the first that fails.
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../package/manifest.ts';
import { exitWithoutRegistry, pack, run } from '../package/packed-package.ts';
import { tutorialSteps, type TutorialStep } from './tutorial-steps.ts';

const SCRATCH = join(ROOT, '.tmp', 'tutorial');
const WHERE = join(SCRATCH, 'where');

/** A shell stands where the one before it was. */
async function type({ text }: TutorialStep, folder: string, tarball: string): Promise<string> {
  const typed = text.replace('npm install listwatch', `npm install "${tarball}"`);
  const script = `set -euo pipefail\n${typed}\npwd > "${WHERE}"\n`;
  // Settings that this npm passes on to its programs are not for that one.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(?:registry|cache|userconfig)$)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), NODE_OPTIONS: undefined };
  await run('bash', ['-c', script], { cwd: folder, env });
  return readFileSync(WHERE, 'utf8').trim();
}

function write({ file = '', append, text }: TutorialStep, folder: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  if (append) appendFileSync(path, `\n${text}\n`);
  else writeFileSync(path, `${text}\n`);
}

rmSync(SCRATCH, { recursive: true, force: true });
await exitWithoutRegistry('tutorial');
const tarball = await pack(SCRATCH);
let folder = join(SCRATCH, 'empty');
mkdirSync(folder);
const startedMs = performance.now();
for (const step of tutorialSteps()) {
  console.log(`docs/tutorial.md:${step.line}: ${step.file ?? step.text.split('\n').join(' && ')}`);
  if (step.file === undefined) folder = await type(step, folder, tarball);
  else write(step, folder);
}
console.log(
  `every block did what it says, in ${Math.round((performance.now() - startedMs) / 1000)} s`,
);
