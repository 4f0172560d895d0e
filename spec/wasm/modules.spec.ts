import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { bytesFile, bytesText, MODULES } from './build-module.ts';

const LARGEST = 20 * 1024;

describe('the WebAssembly modules in the package', () => {
  for (const module of MODULES) {
    it(`are what their sources compile to, in at most ${LARGEST / 1024} KiB: ${module.source}`, () => {
      const text = readFileSync(bytesFile(module), 'utf8');
      expect(bytesText(module)).to.equal(text);
      expect(text.length).to.be.below(LARGEST);
    });
  }
});
