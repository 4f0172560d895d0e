import { expect } from 'chai';
import { QueueClock } from '../../../lib/kernel/data/queue-clock.ts';

describe('QueueClock', () => {
  it('knows since when the oldest item waits', () => {
    const clock = new QueueClock();
    expect(clock.waitedMs(5)).to.equal(0);
    clock.queued(3, 10);
    clock.queued(5, 20);
    expect(clock.waitedMs(30)).to.equal(20);
    clock.taken(2);
    expect(clock.waitedMs(30)).to.equal(20);
    clock.taken(1);
    expect(clock.waitedMs(30)).to.equal(10);
    clock.queued(4, 30);
    clock.taken(2);
    expect(clock.waitedMs(35)).to.equal(5);
    clock.taken(2);
    expect(clock.waitedMs(40)).to.equal(0);
  });

  it('takes a write that brought no new item for none', () => {
    const clock = new QueueClock();
    clock.queued(1, 10);
    clock.queued(1, 20);
    clock.taken(1);
    expect(clock.waitedMs(30)).to.equal(0);
    clock.queued(0, 40);
    expect(clock.waitedMs(50)).to.equal(0);
  });
});
