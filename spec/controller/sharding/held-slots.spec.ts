import { expect } from 'chai';
import { HeldSlots } from '../../../lib/controller/sharding/held-slots.ts';
import { SLOTS, slotOf } from '../../../lib/controller/sharding/rendezvous.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ShareWorker } from '../../../lib/controller/sharding/contract/work-share.ts';

const KEY = 'shop/item';
const SLOT = slotOf(KEY);
const all = (owner: string): string[] => Array.from({ length: SLOTS }, () => owner);
const settled = async (): Promise<void> => {
  await new Promise(setImmediate);
};

describe('The slots of a member', () => {
  /** Ends the runs that were asked to end, in the order of the requests. */
  let ends: (() => void)[];
  let slots: HeldSlots;
  let world: VirtualRuntime;

  beforeEach(() => {
    world = new VirtualRuntime();
    ends = [];
    const worker: ShareWorker = {
      name: 'worker',
      gained: () => {},
      drained: () =>
        new Promise((resolve) => {
          ends.push(resolve);
        }),
    };
    slots = new HeldSlots({
      workers: new Set([worker]),
      undisturbedMs: 1000,
      onDrained: () => {},
      runtime: world,
    });
  });

  it('are those that the table gives to it', () => {
    expect(slots.follow(all('me'), 'me')).to.equal(true);
    expect(slots.has(KEY)).to.equal(true);
    expect(slots.follow(all('me'), 'me')).to.equal(false);
    slots.follow(all('other'), 'me');
    expect(slots.has(KEY)).to.equal(false);
    expect(slots.owned).to.equal(0);
  });

  it('have ended when the last run of theirs has, and begin no run meanwhile', async () => {
    slots.follow(all('me'), 'me');
    slots.drain([SLOT]);
    await settled();
    expect(slots.hasEnded(SLOT)).to.equal(false);
    expect(slots.has(KEY)).to.equal(false);
    slots.follow(all('me'), 'me');
    expect(slots.has(KEY), 'the table still gives it').to.equal(false);
    ends[0]?.();
    await settled();
    expect(slots.hasEnded(SLOT)).to.equal(true);
  });

  it('have not ended when a run of an earlier time has', async () => {
    slots.follow(all('me'), 'me');
    slots.drain([SLOT]);
    slots.drop();
    slots.follow(all('me'), 'me');
    slots.drain([SLOT]);
    ends[0]?.();
    await settled();
    expect(slots.hasEnded(SLOT)).to.equal(false);
  });

  it('count as taken while keys of them may run here, not after their runs have ended', async () => {
    slots.follow(all('me'), 'me');
    expect(slots.taken(all('me'), 'me')).to.equal(0);
    slots.drain([SLOT]);
    const others = all('me').with(SLOT, 'other');
    expect(slots.taken(others, 'me')).to.equal(1);
    ends[0]?.();
    await settled();
    expect(slots.taken(others, 'me')).to.equal(0);
    expect(slots.taken(all('other'), 'me')).to.equal(SLOTS - 1);
  });

  it('are dropped when all runs have ended, also those of a drop that came while it waited', async () => {
    slots.follow(all('me'), 'me');
    slots.drop();
    let isOver = false;
    void slots.dropped().then(() => {
      isOver = true;
    });
    await settled();
    slots.follow(all('me'), 'me');
    slots.drop();
    ends[0]?.();
    await settled();
    expect(isOver).to.equal(false);
    ends[1]?.();
    await settled();
    expect(isOver).to.equal(true);
  });

  it('are overdue when runs go on after their signals have aborted', async () => {
    slots.follow(all('me'), 'me');
    expect(slots.overdueMs).to.equal(0);
    slots.drain([SLOT]);
    await world.advance(1000);
    expect(slots.overdueMs).to.equal(0);
    await world.advance(500);
    expect(slots.overdueMs).to.equal(500);
    ends[0]?.();
    await settled();
    expect(slots.overdueMs).to.equal(0);
  });

  it('are none after it was closed', () => {
    void slots.close();
    expect(slots.follow(all('me'), 'me')).to.equal(false);
    expect(slots.has(KEY)).to.equal(false);
  });
});
