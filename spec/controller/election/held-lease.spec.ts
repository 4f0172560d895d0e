import { expect } from 'chai';
import { HeldLease } from '../../../lib/controller/election/held-lease.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('HeldLease', () => {
  let runtime: VirtualRuntime;
  let clock: LeaseClock;
  let held: HeldLease;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    clock = new LeaseClock(runtime);
    held = make(false);
  });

  const make = (strict: boolean): HeldLease =>
    new HeldLease({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      uid: 'u1',
      epoch: 3,
      validityMs: 10_000,
      since: clock.now(),
      strict,
      clock,
      runtime,
    });

  it('has names, and in writes an epoch where the server compares it', () => {
    expect(held).to.include({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      uid: 'u1',
      epoch: 3,
    });
    expect(held.headers).to.deep.equal({});
    expect(make(true).headers).to.deep.equal({
      'listwatch-fence': 'default/program; uid=u1; epoch=3',
    });
  });

  it('is overdue from the moment when its last renewal counts no more', async () => {
    await runtime.advance(10_250);
    expect(held).to.include({ leftMs: -250, overdueMs: 250 });
    held.lose('it was taken');
    expect(held).to.include({ leftMs: 0, overdueMs: 250, validUntilMs: 10_250 });
  });

  it('is lost when the server refuses a write, with the reason for the caller', () => {
    const reason = held.refused();
    expect(reason).to.equal(held.lost.reason);
    expect(String(reason)).to.include(
      'me has lost the lease default/program: the server has a later epoch: another replica has taken it',
    );
    expect(() => held.check())
      .to.throw()
      .and.equal(reason);
  });

  it('keeps the first reason of its end', () => {
    const given = new ListwatchError('NOT_LEADING', 'given back');
    held.end(given);
    held.lose('another one holds it');
    expect(held.lost.reason).to.equal(given);
    expect(() => held.check())
      .to.throw()
      .and.equal(given);
    expect(held.leftMs).to.equal(0);
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
