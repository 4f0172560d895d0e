import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import {
  ObservedPreemption,
  PREEMPTION_ANNOTATION,
  preemptionText,
  preemptorOf,
} from '../../../lib/controller/election/preemption.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ElectionWorld, type Replica, type ReplicaOptions } from './election-world.ts';
import { storedLease } from './stored-lease.ts';

describe('A replica with preempt', () => {
  let world: ElectionWorld;

  beforeEach(() => {
    world = new ElectionWorld();
  });

  afterEach(async () => {
    await world.close();
    // A process that was killed leaves the timers of what it waited for.
    const killed = world.replicas.some(({ runtime }) => runtime.isDead);
    if (!killed) expect(world.runtime.pending).to.equal(0);
  });

  /** Two replicas as they are deployed: `a` leads, `b` waits. */
  async function deployed(options: ReplicaOptions = {}): Promise<[Replica, Replica]> {
    const a = world.replica('a', options);
    await world.runtime.advance(100);
    const b = world.replica('b');
    await world.runtime.advance(3000);
    return [a, b];
  }

  const secondOf = ({ steps }: Replica, what: string): number =>
    Number(steps.find((step) => step.endsWith(` ${what}`))?.split(' ')[0] ?? Number.NaN);

  it('gets the lease from the leader when the work of that has ended, and no other replica takes it', async () => {
    const [a, b] = await deployed({ endsAfterMs: 3000 });
    const laptop = world.replica('laptop', { preempt: true });
    await world.runtime.advance(8000);
    expect(isListwatchError(a.failure, 'LEADERSHIP_PREEMPTED'), String(a.failure)).to.equal(true);
    expect(String(a.failure)).to.include('a gives the lease default/program to laptop');
    expect(secondOf(a, 'has ended')).to.be.at.most(secondOf(laptop, 'leads'));
    expect(secondOf(laptop, 'leads') - secondOf(a, 'has ended')).to.be.below(1);
    expect(b.steps).to.deep.equal([]);
    const { metadata, spec } = await world.lease();
    expect(spec).to.include({ holderIdentity: 'laptop', leaseTransitions: 1 });
    expect(metadata.annotations, 'the request is done with').not.to.have.property(
      PREEMPTION_ANNOTATION,
    );
  });

  it('leads while it runs, and leaves the lease to those that wait when it stops', async () => {
    const [a, b] = await deployed();
    const laptop = world.replica('laptop', { preempt: true });
    await world.runtime.advance(8000);
    b.stop.abort();
    // As Kubernetes starts the container of `a` anew.
    const again = world.replica('a');
    await world.runtime.advance(60_000);
    expect([a.steps.length, again.steps.length, laptop.elector.leads]).to.deep.equal([4, 0, true]);
    laptop.stop.abort();
    await world.runtime.advance(1000);
    expect(again.elector.leads).to.equal(true);
    expect(laptop.failure).to.equal(undefined);
  });

  it('keeps its place while the work of the leader takes longer to end than a lease lasts', async () => {
    const [a, b] = await deployed({ endsAfterMs: 24_000 });
    const laptop = world.replica('laptop', { preempt: true });
    await world.runtime.advance(30_000);
    expect(secondOf(a, 'has ended') - secondOf(a, 'is stopped')).to.equal(24);
    expect([laptop.elector.leads, b.steps.length]).to.deep.equal([true, 0]);
  });

  it('has no place any more when it has gone: the others wait for as long as a lease lasts, and one leads', async () => {
    const [a, b] = await deployed();
    const laptop = world.replica('laptop', { preempt: true });
    while (!laptop.log.some((line) => line.includes('identity=laptop holder=a'))) {
      await world.runtime.advance(100);
    }
    await world.runtime.advance(100);
    laptop.runtime.kill();
    const goneAt = Number(world.seconds);
    await world.runtime.advance(25_000);
    expect(a.steps.some((step) => step.endsWith('failed'))).to.equal(true);
    expect(secondOf(b, 'leads') - goneAt).to.be.within(10, 15 + 4.4);
    expect(b.log.join('\n')).to.include(
      'lease is given to a replica that asks for it (lease=default/program by=laptop)',
    );
    const { metadata } = await world.lease();
    expect(metadata.annotations).not.to.have.property(PREEMPTION_ANNOTATION);
  });

  it('that leads gives the lease to no other, and after its crash one of the others leads', async () => {
    const [, b] = await deployed();
    const laptop = world.replica('laptop', { preempt: true });
    await world.runtime.advance(8000);
    const other = world.replica('another laptop', { preempt: true });
    await world.runtime.advance(30_000);
    expect([laptop.elector.leads, other.steps.length]).to.deep.equal([true, 0]);
    other.stop.abort();
    laptop.runtime.kill();
    await world.runtime.advance(15_000 + 15_000 + 4400);
    expect(b.elector.leads).to.equal(true);
  });

  it('asks a holder of another library, says once that those do not answer, and waits', async () => {
    const leases = world.user.resource('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
    const spec = { holderIdentity: 'go', leaseDurationSeconds: 60, leaseTransitions: 3 };
    await world.do(leases.create({ metadata: { name: 'program' }, spec }));
    const laptop = world.replica('laptop', { preempt: true });
    await world.runtime.advance(30_000);
    const asked = laptop.log.filter((line) => line.includes('identity=laptop holder=go'));
    expect(asked).to.deep.equal([
      'lease is asked for, by option preempt; programs of other libraries do not give it away (lease=default/program identity=laptop holder=go)',
    ]);
    expect(laptop.steps).to.deep.equal([]);
    await world.runtime.advance(40_000);
    expect(laptop.elector.leads).to.equal(true);
  });

  it('is asked for with true or false', () => {
    expect(() => world.replica('c', { preempt: 'yes' as never })).to.throw(
      'option "preempt" must be true or false, not "yes"',
    );
  });
});

describe('The annotation of a replica that asks for a Lease', () => {
  const asking = (text: string) =>
    storedLease({}, { annotations: { [PREEMPTION_ANNOTATION]: text } });

  it('has a time and the identity, and nothing else names one', () => {
    expect(preemptionText('my laptop', 0)).to.equal('1970-01-01T00:00:00.000000Z my laptop');
    expect(preemptorOf(asking(preemptionText('my laptop', 0)))).to.equal('my laptop');
    for (const text of ['', 'laptop', '2024 ', '2024  ']) {
      expect(preemptorOf(asking(text)), text).to.equal(undefined);
    }
    expect(preemptorOf(storedLease({}))).to.equal(undefined);
  });

  it('counts for as long as a Lease lasts after its last change, and not a millisecond longer', async () => {
    const runtime = new VirtualRuntime();
    const observed = new ObservedPreemption(new LeaseClock(runtime), 15_000);
    expect(observed.by).to.equal(undefined);
    observed.observe(asking('1 laptop'));
    await runtime.advance(10_000);
    observed.observe(asking('1 laptop'));
    await runtime.advance(4999);
    expect(observed.by).to.equal('laptop');
    await runtime.advance(1);
    expect(observed.by).to.equal(undefined);
    observed.observe(asking('2 laptop'));
    expect(observed.by).to.equal('laptop');
    observed.observe(storedLease({}));
    expect(observed.by).to.equal(undefined);
  });
});
