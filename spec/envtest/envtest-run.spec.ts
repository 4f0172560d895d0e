import { expect } from 'chai';
import { envtestLine, readEnvtestRun } from './envtest-run.ts';

describe('the report of an envtest suite', () => {
  it('has the tests that passed and the time to the first', () => {
    const output = [
      'first test after 4293 ms',
      'Ran 6 of 7 Specs in 4.145 seconds',
      'FAIL! -- 5 Passed | 1 Failed | 0 Pending | 1 Skipped',
    ];
    const run = readEnvtestRun(output.join('\n'));
    expect(run).to.deep.equal({ passed: 5, total: 6, firstTestMs: 4293 });
    const better = { passed: 6, total: 6, firstTestMs: 900 };
    expect(envtestLine('real', [run, better, better])).to.equal(
      'real       5 of 6 tests passed, first test after 0.9 s',
    );
  });

  it('is none for a suite that ended before its tests', () => {
    expect(() => readEnvtestRun('unable to start control plane')).to.throw(
      'the suite ended before its tests:\nunable to start control plane',
    );
  });
});
