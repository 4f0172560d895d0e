import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HANG_MS } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

interface Titled {
  readonly fullTitle: string;
  readonly err: { readonly message?: string };
}

/** Of mocha's JSON reporter. */
export interface MochaReport {
  readonly passes: readonly Titled[];
  readonly failures: readonly Titled[];
}

export interface MochaRun {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs mocha, configured as for all specs, over files with these texts. */
export async function runMocha(
  texts: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<MochaRun> {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.tmp', 'mocha-'));
  try {
    const files = Object.entries(texts).map(([name, text]) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      return file;
    });
    return await new Promise((done) => {
      execFile(
        process.execPath,
        [MOCHA, '--reporter', 'json', ...files],
        { cwd: ROOT, env: { ...process.env, ...env }, timeout: HANG_MS, killSignal: 'SIGTERM' },
        (error, stdout, stderr) => {
          done({ code: error?.signal ?? Number(error?.code ?? 0), stdout, stderr });
        },
      );
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
