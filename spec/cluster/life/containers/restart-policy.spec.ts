import { expect } from 'chai';
import {
  goSeconds,
  nextRestartDelay,
  restartTime,
  startsAgain,
} from '../../../../lib/cluster/life/containers/restart-policy.ts';

describe('startsAgain', () => {
  const rule = (operator: 'In' | 'NotIn') => ({
    restartPolicy: 'Never' as const,
    restartPolicyRules: [{ action: 'Restart', exitCodes: { operator, values: [3] } }],
  });
  const rows = [
    [{}, undefined, 0, true],
    [{}, 'Always', 1, true],
    [{}, 'OnFailure', 0, false],
    [{}, 'OnFailure', 1, true],
    [{}, 'Never', 1, false],
    [{ restartPolicy: 'Always' }, 'Never', 0, true],
    [{ restartPolicy: 'OnFailure' }, 'Never', 1, true],
    [rule('In'), 'Always', 3, true],
    [rule('In'), 'Always', 4, false],
    [rule('NotIn'), 'Always', 3, false],
    [rule('NotIn'), 'Always', 4, true],
  ] as const;
  for (const [container, restartPolicy, exitCode, wanted] of rows) {
    it(`is ${wanted} for ${exitCode} of ${JSON.stringify(container)} in a pod with ${restartPolicy}`, () => {
      const { restartPolicyRules, ...rest } = { restartPolicyRules: undefined, ...container };
      const rules = restartPolicyRules?.map((one) => ({
        ...one,
        exitCodes: { ...one.exitCodes, values: [...one.exitCodes.values] },
      }));
      const given = { ...rest, restartPolicyRules: rules };
      expect(startsAgain(given, { restartPolicy }, exitCode)).to.equal(wanted);
    });
  }
});

describe('the delay of a restart', () => {
  it('doubles from 10 s to 300 s, and begins anew after ten minutes without an end', () => {
    let nowMs = 0;
    let delay = nextRestartDelay(undefined, nowMs, nowMs);
    const delays = [delay.delayMs];
    while (delays.length < 7) {
      nowMs += delay.delayMs;
      delay = nextRestartDelay(delay, nowMs, nowMs);
      delays.push(delay.delayMs);
    }
    expect(delays).to.deep.equal([10e3, 20e3, 40e3, 80e3, 160e3, 300e3, 300e3]);
    const after = (ranMs: number): number =>
      nextRestartDelay(delay, nowMs + ranMs, nowMs + ranMs + delay.delayMs).delayMs;
    expect(after(600_000)).to.equal(300e3);
    expect(after(600_001)).to.equal(10e3);
  });

  it('counts from the end of the container', () => {
    expect(restartTime(undefined, 5000)).to.equal(5000);
    expect(restartTime({ delayMs: 10_000, sinceMs: 0 }, 5000)).to.equal(15_000);
    expect(restartTime({ delayMs: 10_000, sinceMs: 0 }, 700_000)).to.equal(700_000);
  });

  it('is written as Go writes durations', () => {
    expect([10_000, 60_000, 160_000, 300_000].map(goSeconds)).to.deep.equal([
      '10s',
      '1m0s',
      '2m40s',
      '5m0s',
    ]);
  });
});
