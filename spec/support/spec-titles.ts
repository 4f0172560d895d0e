import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { SpecTitles } from './upstream-rows/conformance.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SPEC = join(ROOT, 'spec');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
/** Where the report begins; a file that skips its cases may print a line before it. */
const REPORT = '{\n  "stats"';

interface MochaReport {
  readonly passes: readonly { readonly file: string; readonly fullTitle: string }[];
}

/** The titles as mocha has them, without running anything; cases that are skipped are not among the passes. */
export async function titlesOf(specs: readonly string[]): Promise<SpecTitles> {
  const files = specs.map((spec) => join(SPEC, spec)).filter((file) => existsSync(file));
  if (files.length === 0) return new Map();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MOCHA, '--dry-run', '--reporter', 'json', ...files],
    { cwd: ROOT, maxBuffer: 2 ** 28, env: { ...process.env, LISTWATCH_WHOLE: '1' } },
  );
  const report = JSON.parse(stdout.slice(Math.max(0, stdout.indexOf(REPORT)))) as MochaReport;
  const titles = new Map<string, string[]>();
  for (const { file, fullTitle } of report.passes) {
    const spec = relative(SPEC, file);
    titles.set(spec, [...(titles.get(spec) ?? []), fullTitle]);
  }
  return titles;
}
