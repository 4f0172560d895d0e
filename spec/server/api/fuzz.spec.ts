import { expect } from 'chai';
import { runCourse } from './fuzz/fuzz-course.ts';

describe('requests drawn at random', () => {
  // `npm run check -- fuzz-api` sends more.
  it('are all answered, and a refused one changes nothing', async () => {
    const tally = await runCourse('spec/0', 600);
    for (const status of [200, 201, 400, 404, 405, 406, 415, 422]) {
      expect(tally.get(status) ?? 0, String(status)).to.be.above(0);
    }
  });
});
