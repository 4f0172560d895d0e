import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ElectionWorld, type Replica } from './election-world.ts';

const STOP = 'stopped';

/** The events, without the times. */
function stepsOf({ steps }: Replica): string[] {
  return steps.map((step) => step.replace(/^\S+ /, ''));
}

/** The second of a step. */
function secondOf({ steps }: Replica, what: string): number {
  const found = steps.find((step) => step.endsWith(` ${what}`));
  if (found === undefined) throw new Error(`${what} did not happen: ${steps.join(', ')}`);
  return Number(found.split(' ')[0]);
}

describe('LeaderElector', () => {
  let world: ElectionWorld;

  beforeEach(() => {
    world = new ElectionWorld();
  });

  afterEach(async () => {
    await world.close();
    expect(world.runtime.pending).to.equal(0);
  });

  /** One that leads, and others that wait. */
  async function led(...names: string[]): Promise<Replica[]> {
    const leader = world.replica('a');
    await world.runtime.advance(100);
    const others = names.map((name) => world.replica(name));
    await world.runtime.advance(5000);
    return [leader, ...others];
  }

  it('lets one of three replicas lead, and writes a Lease as client-go does', async () => {
    const [a, b, c] = (await led('b', 'c')) as [Replica, Replica, Replica];
    expect([stepsOf(a), stepsOf(b), stepsOf(c)]).to.deep.equal([['leads'], [], []]);
    expect([a.elector.leads, b.elector.leads]).to.deep.equal([true, false]);
    const { spec } = await world.lease();
    expect(spec).to.include({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(spec?.renewTime).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(spec?.acquireTime).to.match(/\.\d{6}Z$/);
    expect(b.elector.inspect()).to.include({ phase: 'standby', leader: 'a', epoch: 0 });
  });

  it('hands over within a second on a clean stop, after the work has ended', async () => {
    const [a, b] = (await led('b')) as [Replica, Replica];
    a.stop.abort();
    await world.runtime.advance(1000);
    expect(stepsOf(a)).to.deep.equal(['leads', 'is stopped', 'has ended', STOP]);
    expect(stepsOf(b)).to.deep.equal(['leads']);
    expect(secondOf(b, 'leads') - secondOf(a, 'has ended')).to.be.within(0, 1);
    expect((await world.lease()).spec).to.include({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('renews while its work ends, and gives the lease back only then', async () => {
    const a = world.replica('a', { endsAfterMs: 20_000 });
    await world.runtime.advance(100);
    const b = world.replica('b');
    await world.runtime.advance(1000);
    a.stop.abort();
    await world.runtime.advance(19_000);
    expect(a.elector.inspect().phase).to.equal('draining');
    expect(stepsOf(b)).to.deep.equal([]);
    await world.runtime.advance(2000);
    expect(secondOf(b, 'leads')).to.be.at.least(secondOf(a, 'has ended'));
    expect(stepsOf(b)).to.deep.equal(['leads']);
  });

  it('keeps the lease when its work does not end in time: it rejects, and another one waits for its end', async () => {
    const a = world.replica('a', { endsAfterMs: 60_000, drainTimeoutMs: 3000 });
    await world.runtime.advance(100);
    const b = world.replica('b');
    await world.runtime.advance(1000);
    const stoppedAt = Number(world.seconds);
    a.stop.abort();
    await world.runtime.advance(60_000);
    expect(isListwatchError(a.failure, 'TIMEOUT'), String(a.failure)).to.equal(true);
    expect(secondOf(b, 'leads') - stoppedAt).to.be.within(15, 3 + 15 + 4.4);
  });

  it('hands over after a crash within the lease and one retry, for 20 seeds: 15 s + 4.4 s', async () => {
    for (let seed = 2; seed <= 21; seed += 1) {
      const one = new ElectionWorld(seed);
      const a = one.replica('a');
      await one.runtime.advance(100);
      one.replica('b');
      one.replica('c');
      await one.runtime.advance(5000 + seed * 37);
      const killedAt = Number(one.seconds);
      a.runtime.kill();
      await one.runtime.advance(19_400);
      const leaders = one.replicas.filter(({ steps }) => steps.length > 0 && steps !== a.steps);
      expect(leaders, `seed ${seed}`).to.have.length(1);
      // The last renewal is at most one retry old.
      expect(secondOf(leaders[0]!, 'leads') - killedAt).to.be.within(12.9, 19.4);
      await one.close();
    }
  });

  it('rejects with LEADERSHIP_LOST when it cannot renew, and notifies its work before another one leads', async () => {
    const [a, b] = (await led('b')) as [Replica, Replica];
    a.network.cut = true;
    await world.runtime.advance(30_000);
    expect(isListwatchError(a.failure, 'LEADERSHIP_LOST'), String(a.failure)).to.equal(true);
    expect(String(a.failure)).to.include(
      'a has lost the lease default/program: it could not be renewed for 10 s',
    );
    expect(secondOf(a, 'is stopped')).to.be.below(secondOf(b, 'leads') - 4);
  });

  it('is unhealthy while the work of a lost lease goes on for longer than the lease lasts', async () => {
    const a = world.replica('a', { endsAfterMs: 40_000, drainTimeoutMs: 60_000 });
    await world.runtime.advance(5000);
    a.network.cut = true;
    await world.runtime.advance(25_000);
    expect(stepsOf(a)).to.deep.equal(['leads', 'is stopped']);
    const { lease } = a.context!;
    // The lease of 15 s, behind the 5 s in which it was not renewed and no other replica took it.
    await world.runtime.advance(20_000 - lease.overdueMs);
    expect(() => a.elector.check()).not.to.throw();
    await world.runtime.advance(1);
    expect(() => a.elector.check()).to.throw('the work of the leader still goes on');
    await world.runtime.advance(36_000);
    expect(stepsOf(a).slice(2)).to.deep.equal(['has ended', 'failed']);
    expect(() => a.elector.check()).not.to.throw();
  });

  it('has lost the lease as soon as it was stopped for longer than it lasts, before anything else runs', async () => {
    const [a] = (await led()) as [Replica];
    const { lease } = a.context!;
    a.runtime.stop(10_500);
    await world.runtime.advance(10_400);
    expect(() => lease.check()).to.throw('could not be renewed');
    await world.runtime.advance(10_000);
    expect(stepsOf(a)).to.deep.equal(['leads', 'is stopped', 'has ended', 'failed']);
  });

  it('counts the time in which the monotonic clock stood still, if the wall clock shows it', async () => {
    const [a] = (await led()) as [Replica];
    const { lease } = a.context!;
    expect(lease.leftMs).to.be.above(7000);
    a.runtime.setClock(60_000);
    expect(() => lease.check()).to.throw('could not be renewed for 10 s');
    await world.runtime.advance(5000);
    expect(isListwatchError(a.failure, 'LEADERSHIP_LOST')).to.equal(true);
  });

  it('compares no time of another replica: clocks may differ by hours', async () => {
    const a = world.replica('a', { skewMs: 5 * 3_600_000 });
    await world.runtime.advance(100);
    const b = world.replica('b', { skewMs: -5 * 3_600_000 });
    await world.runtime.advance(60_000);
    expect([stepsOf(a), stepsOf(b)]).to.deep.equal([['leads'], []]);
    a.stop.abort();
    await world.runtime.advance(1000);
    expect(stepsOf(b)).to.deep.equal(['leads']);
  });

  it('gives each holder a later epoch, also under the same identity', async () => {
    const [a] = (await led()) as [Replica];
    expect(a.context?.lease.epoch).to.equal(0);
    a.runtime.kill();
    const again = world.replica('a');
    await world.runtime.advance(20_000);
    expect(again.context?.lease.epoch).to.equal(1);
  });

  it('goes on when another program writes labels to its Lease', async () => {
    const [a] = (await led()) as [Replica];
    const leases = world.user.resource('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
    await world.do(leases.patch('program', { metadata: { labels: { team: 'red' } } }));
    await world.runtime.advance(30_000);
    expect(stepsOf(a)).to.deep.equal(['leads']);
    const { metadata, spec } = await world.lease();
    expect(metadata.labels).to.deep.equal({ team: 'red' });
    expect(spec?.holderIdentity).to.equal('a');
  });

  it('says as a standby when the server does not answer, and when it does again', async () => {
    const [, b] = (await led('b')) as [Replica, Replica];
    b.network.cut = true;
    await world.runtime.advance(20_000);
    expect(b.elector.inspect().failure).to.be.a('string');
    b.network.cut = false;
    await world.runtime.advance(10_000);
    expect(b.steps).to.deep.equal([]);
    expect(b.elector.inspect().failure).to.equal(undefined);
    expect(b.log).to.include('lease is answered again (lease=default/program)');
  });

  it('is no leader in its reports once it has stopped', async () => {
    const [a] = (await led()) as [Replica];
    expect(a.elector.inspect()).to.include({ phase: 'leading', leader: 'a' });
    a.stop.abort();
    await world.runtime.advance(1000);
    expect(a.elector.inspect()).to.include({ phase: 'stopped', leader: undefined });
    expect(a.log.at(-1)).to.equal('this replica leads no more (lease=default/program identity=a)');
  });

  it('refuses a fencing that it does not know', () => {
    expect(() => world.replica('c', { fencing: 'hard' as never })).to.throw(
      `option "fencing" must be 'local' or 'strict', not "hard"`,
    );
  });

  it('has lost a Lease that was deleted, and says so', async () => {
    const [a] = (await led()) as [Replica];
    const leases = world.user.resource('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
    await world.do(leases.delete('program'));
    await world.runtime.advance(3000);
    expect(String(a.failure)).to.include(
      'it was deleted; do not delete the Lease of a running program',
    );
  });

  it('gives the lease back when its work ends or fails by itself, and passes the failure on', async () => {
    const { runtime } = world;
    const other = world.replica('b');
    other.stop.abort();
    await runtime.advance(1000);
    const { LeaderElector } = await import('../../../lib/controller/election/leader-elector.ts');
    const options = {
      name: 'other',
      namespace: 'default',
      runtime,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    };
    const fails = new LeaderElector(world.user, options);
    const failure = new Error('no such report');
    const caught = await runtime.run(
      fails.run({ lead: () => Promise.reject(failure) }).catch((error: unknown) => error),
    );
    expect(caught).to.equal(failure);
    const leases = world.user.resource('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
    expect((await runtime.run(leases.get('other'))).spec?.holderIdentity).to.equal(undefined);
    const ends = new LeaderElector(world.user, options);
    await runtime.run(ends.run({ lead: () => Promise.resolve() }));
    expect(ends.inspect()).to.include({ phase: 'stopped', epoch: 2 - 1 });
    await runtime.run(
      ends.run({ lead: () => Promise.resolve() }).then(
        () => expect.fail('it ran twice'),
        (error: unknown) => expect(isListwatchError(error, 'ALREADY_STARTED')).to.equal(true),
      ),
    );
  });
});
