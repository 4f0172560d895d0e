import { expect } from 'chai';
import { runCourse } from './fuzz/fuzz-course.ts';
import { writeRequests } from './fuzz/writes/write-requests.ts';

describe('patches, applies and schemas drawn at random', () => {
  // `npm run check -- fuzz-writes` sends more.
  it('are all answered, a refused one changes nothing, and what an answer shows is stored', async () => {
    const tally = await runCourse('spec/0', 500, { source: writeRequests });
    for (const status of [200, 201, 400, 404, 409, 422]) {
      expect(tally.get(status) ?? 0, String(status)).to.be.above(0);
    }
  });
});
