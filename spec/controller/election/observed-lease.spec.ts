import { expect } from 'chai';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import { ObservedLease } from '../../../lib/controller/election/observed-lease.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { storedLease } from './stored-lease.ts';

const SPEC = { holderIdentity: 'a', leaseDurationSeconds: 20, leaseTransitions: 3, renewTime: '1' };

describe('ObservedLease', () => {
  let runtime: VirtualRuntime;
  let observed: ObservedLease;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    observed = new ObservedLease(new LeaseClock(runtime), 15_000);
  });

  it('has no time left before a Lease was seen', () => {
    expect([observed.leftMs, observed.record]).to.deep.equal([0, undefined]);
  });

  it('has the duration of the Lease left, counted from the last change that was seen', async () => {
    const first = observed.observe(storedLease(SPEC));
    expect(first).to.include({ changed: true, wentBack: false });
    expect(observed.record).to.equal(first.record);
    await runtime.advance(4000);
    expect(observed.observe(storedLease(SPEC))).to.include({ changed: false, wentBack: false });
    expect(observed.leftMs).to.equal(16_000);
    expect(observed.observe(storedLease({ ...SPEC, renewTime: '2' }))).to.include({
      changed: true,
      wentBack: false,
    });
    expect(observed.leftMs).to.equal(20_000);
    await runtime.advance(20_001);
    expect(observed.leftMs).to.equal(-1);
  });

  it('has the own duration left for a Lease without one', () => {
    observed.observe(storedLease({ holderIdentity: 'a' }));
    expect(observed.leftMs).to.equal(15_000);
  });

  it('has no time left for a Lease without a holder', () => {
    observed.observe(storedLease({ leaseDurationSeconds: 20 }));
    expect(observed.leftMs).to.equal(0);
  });

  it('reports an earlier epoch of the same Lease, and not of another one', () => {
    observed.observe(storedLease(SPEC));
    const earlier = { ...SPEC, leaseTransitions: 2 };
    expect(observed.observe(storedLease(earlier, { uid: 'u2' }))).to.include({
      changed: true,
      wentBack: false,
    });
    expect(
      observed.observe(storedLease({ ...SPEC, leaseTransitions: 1 }, { uid: 'u2' })),
    ).to.include({ changed: true, wentBack: true });
  });

  it('counts a Lease with the same fields and another uid as changed', async () => {
    observed.observe(storedLease(SPEC));
    await runtime.advance(1000);
    expect(observed.observe(storedLease(SPEC, { uid: 'u2' })).changed).to.equal(true);
    expect(observed.leftMs).to.equal(20_000);
  });
});
