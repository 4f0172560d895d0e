import { expect } from 'chai';
import { inFolder } from '../support/memory-files.ts';
import { killWhileSaving } from './kill-while-saving.ts';

describe('a snapshot whose writer is killed', () => {
  it('is one whole state, and none that is older than what was said to be saved', async () => {
    await inFolder(async (folder) => {
      const { wrong, version, leftBehind } = await killWhileSaving(folder, 3, 2000);
      expect(wrong).to.deep.equal([]);
      expect(version).to.be.above(2);
      // The next start removes what the last one has left behind.
      expect(leftBehind).to.be.at.most(1);
    });
  });
});
