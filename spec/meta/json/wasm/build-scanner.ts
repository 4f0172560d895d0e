import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../../lib/meta/json/wasm');
const SOURCE = 'scanner.as.ts';
export const SCANNER_MODULE: string = join(FOLDER, 'scanner-bytes.ts');

/** 1 MiB of input after a page for the result and the stack, and a page for the bytes that are read beyond the end. */
const PAGES = '18';
const FLAGS = [
  '--runtime stub --noAssert --enable simd --optimizeLevel 3 --shrinkLevel 0',
  `--initialMemory ${PAGES} --maximumMemory ${PAGES} --zeroFilledMemory`,
].flatMap((flags) => flags.split(' '));

/**
 * Compiles the scanner. The same source gives the same bytes. The compiler runs as a program, because its types change those of
 * arrays in the whole project.
 */
export function buildScanner(): Uint8Array {
  const manifest = createRequire(import.meta.url).resolve('assemblyscript/package.json');
  const compiler = join(dirname(manifest), 'bin', 'asc.js');
  const scratch = mkdtempSync(join(tmpdir(), 'listwatch-scanner-'));
  try {
    const output = join(scratch, 'scanner.wasm');
    const args = [compiler, SOURCE, '--outFile', output, ...FLAGS];
    execFileSync(process.execPath, args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'pipe'] });
    return readFileSync(output);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The text of `scanner-bytes.ts`. */
export function scannerModule(bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString('base64');
  return `// Compiled from scanner.as.ts by \`npm run scanner\`. Do not edit.

/** A WebAssembly module in base64. */
export const SCANNER_BYTES: string =
  '${base64}';
`;
}
