/** Compiles the WebAssembly scanner: `npm run scanner`. */
import { writeFileSync } from 'node:fs';
import { buildScanner, SCANNER_MODULE, scannerModule } from './build-scanner.ts';

const bytes = buildScanner();
writeFileSync(SCANNER_MODULE, scannerModule(bytes));
console.log(`${bytes.length} bytes`);
