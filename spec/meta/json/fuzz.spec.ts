import { expect } from 'chai';
import { Tally } from './fuzz/check.ts';
import { play } from './fuzz/play.ts';

describe('reading JSON as bytes', () => {
  it('gives what JSON.parse gives, for frames and lists that were changed at random', () => {
    const tally = new Tally();
    for (let course = 0; (tally.counts.get('documents') ?? 0) < 5000; course += 1) {
      const { problem } = play(`spec/${course}`, tally);
      expect(problem, `npm run check -- fuzz-json --seed spec --only ${course}`).to.equal(
        undefined,
      );
    }
    // Neither everything refused, nor everything left to the parser.
    for (const what of [
      'frame: event',
      'frame: MALFORMED_FRAME',
      'page: list',
      'page: MALFORMED_RESPONSE',
      'object: stays in its bytes',
      'object: parsed at once',
    ]) {
      expect(tally.counts.get(what), what).to.be.above(300);
    }
  });
});
