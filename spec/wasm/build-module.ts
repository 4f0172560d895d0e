import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const LIB = join(import.meta.dirname, '../../lib');

/** A module of the package that is compiled from AssemblyScript. */
export interface WasmModule {
  /** In `lib`. */
  readonly source: string;
  /** Its memory, in pages of 64 KiB. */
  readonly pages: number;
  /** Whether it takes more when it runs. */
  readonly grows?: boolean;
  /** The constant with its bytes, in the file beside the source whose name ends with `-bytes.ts`. */
  readonly constant: string;
}

export const MODULES: readonly WasmModule[] = [
  // 1 MiB of input after a page for the result and the stack, and a page for the bytes that are read beyond the end.
  { source: 'meta/json/wasm/scanner.as.ts', pages: 18, constant: 'SCANNER_BYTES' },
  // Twice 1 MiB after the first page.
  {
    source: 'recorder/delta-encoding/change-record.as.ts',
    pages: 33,
    grows: true,
    constant: 'CHANGE_RECORD_BYTES',
  },
];

const FLAGS =
  '--runtime stub --noAssert --enable simd --optimizeLevel 3 --shrinkLevel 0 --zeroFilledMemory';

/** The file with the bytes. */
export function bytesFile({ source }: WasmModule): string {
  return join(LIB, source.replace('.as.ts', '-bytes.ts'));
}

/**
 * Compiles a module. The same source gives the same bytes. The compiler runs as a program, because its types change those of arrays in the
 * whole project.
 */
function compiled({ source, pages, grows }: WasmModule): Uint8Array {
  const manifest = createRequire(import.meta.url).resolve('assemblyscript/package.json');
  const compiler = join(dirname(manifest), 'bin', 'asc.js');
  const scratch = mkdtempSync(join(tmpdir(), 'listwatch-wasm-'));
  try {
    const output = join(scratch, 'module.wasm');
    const most = grows === true ? [] : ['--maximumMemory', `${pages}`];
    const memory = ['--initialMemory', `${pages}`, ...most];
    const flags = [...FLAGS.split(' '), ...memory];
    const args = [compiler, basename(source), '--outFile', output, ...flags];
    const cwd = dirname(join(LIB, source));
    execFileSync(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    return readFileSync(output);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The text of the file with the bytes. */
export function bytesText(module: WasmModule): string {
  const base64 = Buffer.from(compiled(module)).toString('base64');
  return `// Compiled from ${basename(module.source)} by \`npm run generate -- wasm\`. Do not edit.

/** A WebAssembly module in base64. */
export const ${module.constant}: string =
  '${base64}';
`;
}
