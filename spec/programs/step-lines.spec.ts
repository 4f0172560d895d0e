import { expect } from 'chai';
import { readStepLines } from './step-lines.ts';

const ended = { stderr: '', how: 'exit code 0' };

describe('the step lines of a program', () => {
  it('say which steps passed, and why others failed', () => {
    const stdout =
      'noise\nSTEP ok create\nSTEP failed watch from 1: 410 in place of 200: Gone\r\nSTEP end\n';
    expect(readStepLines({ ...ended, stdout })).to.deep.equal([
      { step: 'create', failure: undefined },
      { step: 'watch from 1', failure: '410 in place of 200: Gone' },
    ]);
  });

  it('have a failed step more when the last line is missing, with how it ended and what it wrote last', () => {
    const stdout = 'STEP ok create\n1\n2\n3\n';
    const steps = readStepLines({ stdout, stderr: '4\n5\n\n6\n', how: 'ended after 600 s' });
    expect(steps).to.deep.equal([
      { step: 'create', failure: undefined },
      { step: 'end', failure: 'ended after 600 s | 2 | 3 | 4 | 5 | 6' },
    ]);
  });

  it('count as failed without a message', () => {
    expect(readStepLines({ ...ended, stdout: 'STEP failed create\nSTEP end' })).to.deep.equal([
      { step: 'create', failure: 'no message' },
    ]);
  });
});
