import { expect } from 'chai';
import { isFinished } from '../../../lib/kinds/batch/job-conditions.ts';

const jobWith = (type: string, status: string = 'True'): object => ({
  status: { conditions: [{ type, status }] },
});

describe('isFinished', () => {
  it('is so for a job that is complete or has failed', () => {
    expect(isFinished(jobWith('Complete'))).to.equal(true);
    expect(isFinished(jobWith('Failed'))).to.equal(true);
    expect(isFinished(jobWith('Failed', 'False'))).to.equal(false);
    expect(isFinished(jobWith('Suspended'))).to.equal(false);
    expect(isFinished({})).to.equal(false);
  });
});
