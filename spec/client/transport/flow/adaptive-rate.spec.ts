import { expect } from 'chai';
import { AdaptiveRate } from '../../../../lib/client/transport/flow/adaptive-rate.ts';

/** A rate after `accepted` answers and one refusal in the first second; time is 1000 then. */
function limited(accepted: number): AdaptiveRate {
  const rate = new AdaptiveRate();
  for (let index = 0; index < accepted; index += 1) rate.accepted((index * 1000) / accepted);
  rate.refused(999, 990);
  return rate;
}

/** Accepts `perSecond` answers a second while others wait, from `fromMs` to `toMs`. */
function accept(rate: AdaptiveRate, perSecond: number, fromMs: number, toMs: number): void {
  const stepMs = 1000 / perSecond;
  for (let nowMs = fromMs; nowMs < toMs; nowMs += stepMs) {
    rate.waited(nowMs);
    rate.accepted(nowMs);
  }
}

describe('AdaptiveRate', () => {
  it('has no limit before the first refusal', () => {
    const rate = new AdaptiveRate();
    for (let nowMs = 0; nowMs < 10_000; nowMs += 1) rate.accepted(nowMs);
    expect(rate.limit).to.equal(Infinity);
  });

  it('begins with four fifths of what the server has accepted in the last second', () => {
    expect(limited(100).limit).to.equal(80);
  });

  it('begins with one a second if little was sent', () => {
    const rate = new AdaptiveRate();
    expect(rate.refused(5_000, 4_990)).to.equal(true);
    expect(rate.limit).to.equal(1);
  });

  it('falls by a fifth for a refusal, and at most once a second', () => {
    const rate = limited(100);
    expect(rate.refused(1_500, 1_490)).to.equal(false);
    expect(rate.limit).to.equal(80);
    accept(rate, 80, 1_500, 3_000);
    const before = rate.limit;
    expect(rate.refused(3_000, 2_990)).to.equal(true);
    expect(rate.limit).to.be.closeTo(before * 0.8, 1e-9);
  });

  it('ignores refusals of requests that were sent before it fell', () => {
    const rate = limited(100);
    expect(rate.refused(60_000, 998)).to.equal(false);
    expect(rate.limit).to.equal(80);
  });

  it('falls to what was accepted if the server refuses much', () => {
    const rate = limited(1000);
    expect(rate.limit).to.equal(800);
    for (let index = 0; index < 10; index += 1) rate.accepted(1_500 + index);
    for (let index = 0; index < 700; index += 1) rate.refused(1_600, 1_500);
    expect(rate.limit).to.equal(800);
    rate.refused(2_000, 1_990);
    expect(rate.limit).to.equal(8);
  });

  it('counts an answer at a full second as one of the next second', () => {
    const rate = new AdaptiveRate();
    for (let index = 0; index < 10; index += 1) rate.accepted(0);
    for (let index = 0; index < 100; index += 1) rate.accepted(1_000);
    rate.refused(1_500, 1_490);
    // All of the present second and half of the one before: (100 + 10 / 2) × 0.8.
    expect(rate.limit).to.be.closeTo(84, 1e-9);
  });

  it('counts no answer of a second that ended two seconds ago', () => {
    const rate = new AdaptiveRate();
    for (let index = 0; index < 1_000; index += 1) rate.accepted(0);
    for (let index = 0; index < 100; index += 1) rate.accepted(2_000);
    rate.refused(2_500, 2_490);
    expect(rate.limit).to.be.closeTo(80, 1e-9);
  });

  it('counts the refusals of the previous second for the part of it that is less than a second ago', () => {
    const afterMs = (nowMs: number): number => {
      const rate = limited(100);
      for (let index = 0; index < 8; index += 1) rate.refused(1_100, 1_000);
      rate.refused(nowMs, nowMs - 1);
      return rate.limit;
    };
    // 8 × 0.4 + 1 refusals are too few to ignore the rate, 8 × 0.6 + 1 are enough: nothing was accepted.
    expect(afterMs(2_600)).to.be.closeTo(64, 1e-9);
    expect(afterMs(2_400)).to.equal(0.2);
  });

  it('falls by a fifth unless at least five answers, and more than 30 %, were refusals', () => {
    const fallen = (accepted: number, refused: number): number => {
      const rate = limited(100);
      for (let index = 0; index < accepted; index += 1) rate.accepted(10_000);
      // The first refusal lowers the rate; the others come within the second after it.
      for (let index = 0; index < refused - 1; index += 1) rate.refused(10_000, 10);
      rate.refused(10_000, 9_999);
      return rate.limit;
    };
    expect(fallen(0, 4)).to.be.closeTo(64, 1e-9);
    expect(fallen(10, 5)).to.be.closeTo(8, 1e-9);
    expect(fallen(14, 6)).to.be.closeTo(64, 1e-9);
    expect(fallen(13, 6)).to.be.closeTo(10.4, 1e-9);
  });

  it('never rises when the server has accepted more than the rate before it refuses much', () => {
    const rate = limited(10);
    for (let index = 0; index < 100; index += 1) rate.accepted(10_000);
    for (let index = 0; index < 99; index += 1) rate.refused(10_000, 10);
    rate.refused(10_000, 9_999);
    expect(rate.limit).to.be.closeTo(6.4, 1e-9);
  });

  it('falls for a request that was sent at the last decrease, a second after it', () => {
    const rate = limited(100);
    expect(rate.refused(1_998, 999)).to.equal(false);
    expect(rate.refused(1_999, 998)).to.equal(false);
    expect(rate.refused(1_999, 999)).to.equal(true);
  });

  it('falls by no more than a fifth for a single refusal after a pause', () => {
    const rate = limited(100);
    expect(rate.refused(20_000, 19_990)).to.equal(true);
    expect(rate.limit).to.equal(64);
  });

  it('never falls below one in five seconds', () => {
    const rate = new AdaptiveRate();
    for (let nowMs = 0; nowMs < 100_000; nowMs += 2_000) rate.refused(nowMs, nowMs);
    expect(rate.limit).to.equal(0.2);
  });

  it('grows by a fifth each second from the first limit to the next refusal', () => {
    const rate = limited(10);
    expect(rate.limit).to.equal(8);
    accept(rate, 50, 1_000, 11_000);
    expect(rate.limit / 8).to.be.within(1.2 ** 9, Math.exp(2));
    rate.refused(11_000, 10_990);
    const before = rate.limit;
    accept(rate, 50, 11_000, 12_000);
    expect(rate.limit / before).to.be.within(1, 1.05);
  });

  it('grows while requests wait and the server accepts them, faster with time', () => {
    const rate = limited(100);
    rate.refused(2_000, 1_990);
    const startAt = rate.limit;
    accept(rate, 80, 2_000, 7_000);
    const first = rate.limit - startAt;
    accept(rate, 80, 7_000, 12_000);
    const second = rate.limit - startAt - first;
    accept(rate, 80, 12_000, 17_000);
    const third = rate.limit - startAt - first - second;
    expect(first).to.be.within(1, 5);
    expect(second).to.be.greaterThan(first * 1.3);
    expect(third).to.be.greaterThan(second * 1.3);
  });

  it('grows by a smaller share if it is higher, which makes clients equal', () => {
    const growths = [10, 1000].map((perSecond) => {
      const rate = limited(perSecond);
      rate.refused(2_000, 1_990);
      const before = rate.limit;
      accept(rate, perSecond, 2_000, 7_000);
      return rate.limit / before;
    });
    const [low = 0, high = 0] = growths;
    expect(low).to.be.greaterThan(high);
    expect(high).to.be.greaterThan(1);
  });

  it('grows for the time since the last answer, one second at most, if one waited within a second', () => {
    const grown = (waitedMs: number, ...answeredMs: number[]): number => {
      const rate = limited(10);
      rate.waited(waitedMs);
      for (const nowMs of answeredMs) rate.accepted(nowMs);
      return rate.limit;
    };
    // A fifth of 8 a second.
    expect(grown(1_000, 1_499)).to.be.closeTo(8.8, 1e-9);
    expect(grown(1_000, 1_249, 1_249)).to.be.closeTo(8.4, 1e-9);
    expect(grown(5_000, 5_999)).to.be.closeTo(9.6, 1e-9);
    expect(grown(5_000, 6_000)).to.be.closeTo(9.6, 1e-9);
    expect(grown(5_000, 6_001)).to.equal(8);
    const rate = limited(10);
    rate.accepted(4_000);
    rate.waited(4_100);
    rate.accepted(4_500);
    expect(rate.limit).to.be.closeTo(8.8, 1e-9);
  });

  it('grows by 5 % of its root a second after a second refusal, and by twice that ten seconds later', () => {
    const rate = limited(100);
    rate.refused(5_000, 4_990);
    expect(rate.limit).to.be.closeTo(64, 1e-9);
    const grownAt = (nowMs: number): number => {
      const before = rate.limit;
      rate.waited(nowMs);
      rate.accepted(nowMs);
      return (rate.limit - before) / Math.sqrt(before);
    };
    expect(grownAt(6_000)).to.be.closeTo(0.05 * 1.01, 1e-9);
    expect(grownAt(15_000)).to.be.closeTo(0.05 * 2, 1e-9);
  });

  it('does not grow while no request waits', () => {
    const rate = limited(100);
    for (let nowMs = 1_000; nowMs < 20_000; nowMs += 100) rate.accepted(nowMs);
    expect(rate.limit).to.equal(80);
  });

  it('is kept half a minute after the last refusal, also if no request has waited since', () => {
    const rate = limited(100);
    expect(rate.forget(30_998)).to.equal(false);
    expect(rate.forget(30_999)).to.equal(true);
  });

  it('is forgotten half a minute after the last refusal and the last wait', () => {
    const rate = limited(100);
    rate.waited(5_000);
    expect(rate.forget(34_999)).to.equal(false);
    expect(rate.limit).to.equal(80);
    expect(rate.forget(35_000)).to.equal(true);
    expect(rate.limit).to.equal(Infinity);
    expect(rate.forget(36_000)).to.equal(false);
  });
});
