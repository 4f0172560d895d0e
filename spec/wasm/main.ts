/** Compiles the WebAssembly modules of the package: `npm run generate -- wasm`. */
import { writeFileSync } from 'node:fs';
import { bytesFile, bytesText, MODULES } from './build-module.ts';

for (const module of MODULES) {
  const text = bytesText(module);
  writeFileSync(bytesFile(module), text);
  console.log(`${module.source}: ${text.length} bytes`);
}
