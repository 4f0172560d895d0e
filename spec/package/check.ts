/**
 * `npm run check -- package`: the packed tarball under publint and are-the-types-wrong, and its declarations under several versions of
 * TypeScript with `skipLibCheck: false`. The tools come from the registry; without it a line says what was not checked.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, readManifest, ROOT } from './manifest.ts';
import { exitWithoutRegistry, npm, pack, run } from './packed-package.ts';

const SCRATCH = join(ROOT, '.tmp', 'check-package');
const PUBLINT = 'publint@0.3.25';
const ATTW = '@arethetypeswrong/cli@0.18.5';
const COMPILERS = ['5.4.5', '5.9.3', '6.0.3', '7.0.2'];
/** Packages of a project on Node beside this one: declarations need Node's types. */
const NODE_TYPES = '@types/node@20.19.43';

let failed = false;

async function check(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    console.log(`${what}: passed`);
  } catch (error) {
    failed = true;
    console.log(`${what}: failed\n${error instanceof Error ? error.message : String(error)}`);
  }
}

async function tool(specifier: string, parameters: readonly string[]): Promise<void> {
  await npm(['exec', '--yes', `--package=${specifier}`, '--', ...parameters], SCRATCH);
}

async function installConsumer(tarball: string): Promise<void> {
  const imports = [...entriesOf(readManifest()).keys()].flatMap((entry, index) => [
    `import * as entry${index} from '${entry}';`,
    `void entry${index};`,
  ]);
  writeFileSync(join(SCRATCH, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(SCRATCH, 'entries.ts'), `${imports.join('\n')}\n`);
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(
    join(SCRATCH, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['entries.ts'] }),
  );
  const aliases = COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`);
  await npm(
    ['install', '--silent', '--no-audit', '--no-fund', tarball, NODE_TYPES, ...aliases],
    SCRATCH,
  );
}

rmSync(SCRATCH, { recursive: true, force: true });
mkdirSync(SCRATCH, { recursive: true });
await exitWithoutRegistry('package');
const tarball = await pack(SCRATCH);
await check('publint --strict', () => tool(PUBLINT, ['publint', 'run', tarball, '--strict']));
await check('are-the-types-wrong', () => tool(ATTW, ['attw', tarball, '--profile', 'esm-only']));
await installConsumer(tarball);
for (const version of COMPILERS) {
  const compiler = join(SCRATCH, 'node_modules', `typescript-${version}`, 'bin', 'tsc');
  await check(`declarations with TypeScript ${version}`, () =>
    run(process.execPath, [compiler, '-p', SCRATCH]),
  );
}
if (failed) process.exitCode = 1;
