import { expect } from 'chai';
import { HeldLease } from '../../../lib/controller/election/held-lease.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('HeldLease', () => {
  let runtime: VirtualRuntime;
  let clock: LeaseClock;
  let held: HeldLease;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    clock = new LeaseClock(runtime);
    held = new HeldLease({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      uid: 'u1',
      epoch: 3,
      validityMs: 10_000,
      since: clock.now(),
      strict: false,
      clock,
      runtime,
    });
  });

  it('lets writes pass until its last renewal is as old as it is valid, and none from then on', async () => {
    await runtime.advance(9999);
    expect(held).to.include({ leftMs: 1, overdueMs: 0 });
    held.check();
    await runtime.advance(1);
    expect(held).to.include({ leftMs: 0, overdueMs: 0 });
    expect(() => held.check())
      .to.throw('me has lost the lease default/program: it could not be renewed for 10 s')
      .with.property('code', 'LEADERSHIP_LOST');
    expect(held.lost.aborted).to.equal(true);
  });

  it('counts a renewal from the moment when it was sent', async () => {
    const sent = clock.now();
    await runtime.advance(4000);
    held.renewed(sent);
    expect(held.leftMs).to.equal(6000);
    const later = clock.now();
    held.renewed(later);
    expect(held).to.include({ leftMs: 10_000, validUntilMs: 14_000 });
  });

  it('stays lost when a renewal is answered too late', async () => {
    const sent = clock.now();
    await runtime.advance(10_000);
    expect(() => held.renewed(sent))
      .to.throw()
      .with.property('code', 'LEADERSHIP_LOST');
    expect(() => held.renewed(clock.now()))
      .to.throw()
      .with.property('code', 'LEADERSHIP_LOST');
    expect(held.leftMs).to.equal(0);
  });
});
