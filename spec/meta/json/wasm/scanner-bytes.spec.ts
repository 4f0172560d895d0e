import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SCANNER_BYTES } from '../../../../lib/meta/json/wasm/scanner-bytes.ts';
import { buildScanner, SCANNER_MODULE, scannerModule } from './build-scanner.ts';

const LARGEST = 20 * 1024;

describe('the WebAssembly scanner in the package', () => {
  it('is what its source compiles to', () => {
    expect(scannerModule(buildScanner())).to.equal(readFileSync(SCANNER_MODULE, 'utf8'));
  });

  it(`takes at most ${LARGEST / 1024} KiB`, () => {
    expect(SCANNER_BYTES.length).to.be.below(LARGEST);
  });
});
