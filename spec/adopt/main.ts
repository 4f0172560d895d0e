/**
 * `npm run check -- adopt [--only NAME[,NAME]] [--keep]`: projects made from the packed tarball and the text of
 * docs/guides/bundles-and-test-runners.md, one for each bundler, runtime, test runner and package manager. Each runs to a reconcile, and to an
 * error that it does not handle, which has to be readable in a file, through a pipe and in a terminal.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitWithoutRegistry, pack } from '../package/packed-package.ts';
import { MANAGERS, tryManager } from './managers.ts';
import { NEXT, tryNext } from './next.ts';
import { NotAvailable } from './not-available.ts';
import { tryTool, versionOf, type Workshop } from './project.ts';
import { TOOLS } from './tools.ts';

interface Row {
  readonly name: string;
  readonly version: string;
  readonly attempt: (workshop: Workshop) => Promise<string | undefined>;
}

const ROWS: readonly Row[] = [
  ...TOOLS.map((tool) => ({
    name: tool.name,
    version: versionOf(tool),
    attempt: async (workshop: Workshop) => await tryTool(workshop, tool),
  })),
  { name: 'next', version: versionOf(NEXT), attempt: tryNext },
  ...MANAGERS.map((manager) => ({
    name: manager.name,
    version: manager.specifier.replace(/^.+@/, ''),
    attempt: async (workshop: Workshop) => await tryManager(workshop, manager),
  })),
];

const { values } = parseArgs({
  options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } },
});
const only = values.only?.split(',');
const unknown = only?.filter((name) => !ROWS.some((row) => row.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `there is no ${unknown.join(', ')}; known are ${ROWS.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
await exitWithoutRegistry('adopt');
const folder = mkdtempSync(join(tmpdir(), 'listwatch-adopt-'));
const workshop = { folder, tarball: await pack(folder) };
console.log('| tool | version | result | s |\n|---|---|---|--:|');
for (const row of ROWS.filter(({ name }) => only?.includes(name) ?? true)) {
  const startMs = performance.now();
  let result = 'passed';
  const problem = await row.attempt(workshop).catch((error: unknown) => {
    if (!(error instanceof NotAvailable)) return String(error);
    result = `not run: ${error.message}`;
    return undefined;
  });
  if (problem !== undefined) {
    result = '**failed**';
    process.exitCode = 1;
    console.error(`${row.name}: ${problem}`);
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`| ${row.name} | ${row.version} | ${result} | ${seconds} |`);
}
if (values.keep) console.log(`\nthe projects are in ${folder}`);
else rmSync(folder, { recursive: true, force: true });
