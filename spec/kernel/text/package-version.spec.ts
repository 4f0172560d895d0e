import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { PACKAGE_VERSION } from '../../../lib/kernel/text/package-version.ts';

describe('PACKAGE_VERSION', () => {
  it('is that of package.json', async () => {
    const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
    expect(PACKAGE_VERSION).to.equal((JSON.parse(text) as { version: unknown }).version);
  });
});
