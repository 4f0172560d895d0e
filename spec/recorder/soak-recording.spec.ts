import { expect } from 'chai';
import { recordSoak, replaySoak } from './soak-recording.ts';
import { asFile } from './support/memory-files.ts';

const TEN_MINUTES_MS = 600_000;
const SEEDS = (process.env['LISTWATCH_SEED'] ?? '3,5,9').split(',').map(Number);

describe('the recorded world of the soak', () => {
  for (const seed of SEEDS) {
    it(`is replayed twice with the same calls and the same bytes, seed ${seed}`, async () => {
      const { bytes, live, virtualMs, failures } = await recordSoak(seed);
      expect(failures).to.deep.equal([]);
      expect(virtualMs).to.be.above(TEN_MINUTES_MS);
      await asFile(bytes, async (path) => {
        const once = await replaySoak(path, seed);
        expect(once.calls.length).to.be.above(20);
        expect(await replaySoak(path, seed)).to.deep.equal(once);
        expect(once.objects).to.deep.equal(live.objects);
      });
    });
  }
});
