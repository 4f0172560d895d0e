import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main as compile } from 'assemblyscript/asc';

const FOLDER = join(import.meta.dirname, '../../../../lib/meta/json/wasm');
const SOURCE = 'scanner.as.ts';
export const SCANNER_MODULE: string = join(FOLDER, 'scanner-bytes.ts');

/** 1 MiB of input after a page for the result and the stack, and a page for the bytes that are read beyond the end. */
const PAGES = '18';
const FLAGS = [
  ...[
    '--runtime',
    'stub',
    '--noAssert',
    '--enable',
    'simd',
    '--optimizeLevel',
    '3',
    '--shrinkLevel',
    '0',
  ],
  ...['--initialMemory', PAGES, '--maximumMemory', PAGES, '--zeroFilledMemory'],
];

/** Compiles the scanner. The same source gives the same bytes. */
export async function buildScanner(): Promise<Uint8Array> {
  const source = readFileSync(join(FOLDER, SOURCE), 'utf8');
  let bytes: Uint8Array | undefined;
  const { error, stderr } = await compile([SOURCE, '--outFile', 'scanner.wasm', ...FLAGS], {
    // The compiler asks here for the files of its own library first.
    readFile: (name) => (name === SOURCE ? source : null),
    writeFile: (_name, contents) => {
      bytes = contents as Uint8Array;
    },
    listFiles: () => [],
  });
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`);
  if (bytes === undefined) throw new Error('the compiler wrote nothing');
  return bytes;
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
