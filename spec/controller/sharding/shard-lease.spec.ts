import { expect } from 'chai';
import { HeldLease } from '../../../lib/controller/election/held-lease.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import { ShardLease } from '../../../lib/controller/sharding/shard-lease.ts';
import { isListwatchError, ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('The right of a member', () => {
  let world: VirtualRuntime;
  let clock: LeaseClock;
  let right: ShardLease;

  beforeEach(() => {
    world = new VirtualRuntime();
    clock = new LeaseClock(world);
    right = new ShardLease('the keys of default/group', clock, world, 10_000);
  });

  function held(): HeldLease {
    return new HeldLease({
      namespace: 'default',
      name: 'group-a',
      identity: 'a',
      uid: 'one',
      epoch: 0,
      validityMs: 10_000,
      since: clock.now(),
      strict: false,
      clock,
      runtime: world,
    });
  }

  function refusal(): unknown {
    try {
      right.check();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  it('begins when it holds a Lease and has read the table', () => {
    expect(right.leftMs).to.equal(0);
    expect(String(refusal())).to.include('no valid part of the keys of default/group');
    right.join(held());
    expect(right.leftMs).to.equal(0);
    right.confirm(clock.now());
    expect(right.leftMs).to.equal(10_000);
    expect(right.validUntilMs).to.equal(world.monotonicMs() + 10_000);
    expect(refusal()).to.equal(undefined);
  });

  it('ends with the Lease, also when the table was read just before', async () => {
    const lease = held();
    right.join(lease);
    await world.advance(6000);
    right.confirm(clock.now());
    expect(right.leftMs).to.equal(4000);
    lease.end(new ListwatchError('LEADERSHIP_LOST', 'a reason'));
    expect(right.leftMs).to.equal(0);
    expect(right.lost.aborted).to.equal(true);
    expect(isListwatchError(refusal(), 'LEADERSHIP_LOST')).to.equal(true);
  });

  it('ends when the table was not read for the validity of a renewal, also when the Lease was renewed just before', async () => {
    const lease = held();
    right.join(lease);
    right.confirm(clock.now());
    await world.advance(6000);
    lease.renewed(clock.now());
    expect(right.leftMs).to.equal(4000);
    await world.advance(4000);
    expect(right.leftMs).to.equal(0);
    expect(isListwatchError(refusal(), 'NOT_LEADING')).to.equal(true);
  });

  it('ends when the table is gone, and with another Lease', () => {
    right.join(held());
    right.confirm(clock.now());
    right.revoke();
    expect(right.leftMs).to.equal(0);
    right.confirm(clock.now());
    right.join(held());
    expect(right.leftMs).to.equal(0);
  });
});
