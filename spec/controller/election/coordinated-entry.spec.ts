import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { CANDIDATES, Coordinator, keepingStrategy } from './coordinator.ts';
import { ElectionWorld, type Replica, type ReplicaOptions } from './election-world.ts';

function stepsOf({ steps }: Replica): string[] {
  return steps.map((step) => step.replace(/^\S+ /, ''));
}

function secondOf({ steps }: Replica, what: string): number {
  return Number(steps.find((step) => step.endsWith(` ${what}`))?.split(' ')[0]);
}

describe('a replica among whom a coordinator chooses', () => {
  let world: ElectionWorld;
  let coordinator: Coordinator;

  beforeEach(async () => {
    world = new ElectionWorld(1, keepingStrategy);
    const { user, server, runtime } = world;
    const definitions = user.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    await world.do(definitions.create(CANDIDATES));
    await runtime.advance(1000);
    coordinator = new Coordinator(keepingStrategy(server.handler), runtime);
  });

  afterEach(async () => {
    await world.do(coordinator.close());
    await world.close();
    // The timers of a process that was killed stay.
    if (world.replicas.every(({ runtime }) => !runtime.isDead)) {
      expect(world.runtime.pending).to.equal(0);
    }
  });

  const replica = (name: string, binaryVersion: string, options: ReplicaOptions = {}): Replica =>
    world.replica(name, { coordinated: { binaryVersion }, ...options });

  it('leads when it has the oldest version, and its Lease says who has chosen it', async () => {
    const all = [replica('a', '2.0.0'), replica('b', '1.0.0'), replica('c', '1.5.0')] as const;
    await world.runtime.advance(8000);
    expect(all.map((one) => one.elector.leads)).to.deep.equal([false, true, false]);
    const { spec, metadata } = await world.lease();
    expect(spec).to.include({
      holderIdentity: 'b',
      strategy: 'OldestEmulationVersion',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
    });
    expect(metadata.annotations).to.have.property('election.listwatch.dev/instance');
    expect(all[0].elector.inspect()).to.include({ phase: 'standby', leader: 'b' });
    const { items } = await world.do(coordinator.candidates.list());
    expect(items.map((one) => one.metadata.name)).to.deep.equal(['a', 'b', 'c']);
    expect(items[2]?.spec).to.include({
      leaseName: 'program',
      binaryVersion: '1.5.0',
      emulationVersion: '1.5.0',
      strategy: 'OldestEmulationVersion',
    });
  });

  it('ends its work and gives the lease to one that the coordinator prefers', async () => {
    const a = replica('a', '2.0.0', { endsAfterMs: 3000 });
    await world.runtime.advance(8000);
    expect(a.elector.leads).to.equal(true);
    const b = replica('b', '1.0.0');
    await world.runtime.advance(15_000);
    expect(stepsOf(a)).to.deep.equal(['leads', 'is stopped', 'has ended', 'failed']);
    expect(isListwatchError(a.failure, 'LEADERSHIP_PREEMPTED'), String(a.failure)).to.equal(true);
    expect(String(a.failure)).to.match(
      /gives the lease default\/program to b, which the coordinator prefers/,
    );
    expect(stepsOf(b)).to.deep.equal(['leads']);
    expect(secondOf(b, 'leads') - secondOf(a, 'has ended')).to.be.within(0, 2);
    const { spec } = await world.lease();
    expect(spec).to.include({ holderIdentity: 'b', leaseTransitions: 2 });
    expect(spec).to.not.have.property('preferredHolder');
  });

  it('stays the leader when one of a later version comes', async () => {
    const a = replica('a', '1.0.0');
    await world.runtime.advance(8000);
    replica('b', '1.0.1');
    await world.runtime.advance(30_000);
    expect(stepsOf(a)).to.deep.equal(['leads']);
  });

  it('hands over within two seconds on a clean stop, and is no candidate any more', async () => {
    const a = replica('a', '1.0.0');
    await world.runtime.advance(8000);
    const b = replica('b', '1.1.0');
    await world.runtime.advance(4000);
    const leases: unknown[] = [];
    const watched = (async () => {
      for await (const { type, object } of coordinator.leases.watch({
        timeoutSeconds: 10,
      }) as AsyncIterable<{
        type: string;
        object: { spec?: object };
      }>) {
        if (type === 'MODIFIED') leases.push(object.spec);
      }
    })();
    a.stop.abort();
    await world.runtime.advance(3000);
    expect(secondOf(b, 'leads') - secondOf(a, 'has ended')).to.be.within(0, 2);
    const { items } = await world.do(coordinator.candidates.list());
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['b']);
    await world.do(watched);
    // kube-apiserver 1.37 panics at one without the field.
    const given = leases.find(
      (spec) => (spec as { leaseDurationSeconds: number }).leaseDurationSeconds === 1,
    );
    expect(given).to.include({ holderIdentity: '', strategy: 'OldestEmulationVersion' });
  });

  it('takes over from one that has crashed, and a dead one is not chosen', async () => {
    const a = replica('a', '1.0.0');
    await world.runtime.advance(8000);
    const b = replica('b', '1.1.0');
    await world.runtime.advance(2000);
    const killedAt = Number(world.seconds);
    a.runtime.kill();
    await world.runtime.advance(35_000);
    expect(stepsOf(b)).to.deep.equal(['leads']);
    // The lease, the time for an answer, and a look of the coordinator.
    expect(secondOf(b, 'leads') - killedAt).to.be.within(10, 15 + 5 + 4);
  });

  it('does not work while an earlier holder may, whom the coordinator has replaced by its clock', async () => {
    // The times of the leader are old: the coordinator takes its lease for ended soon after a renewal.
    const a = replica('a', '1.0.0', { skewMs: -12_000 });
    await world.runtime.advance(12_000);
    const b = replica('b', '1.1.0');
    await world.runtime.advance(3000);
    expect(stepsOf(a)).to.deep.equal(['leads']);
    a.network.cut = true;
    await world.runtime.advance(40_000);
    expect(b.elector.leads).to.equal(true);
    expect(stepsOf(b)).to.deep.equal(['leads']);
    expect(secondOf(b, 'leads')).to.be.at.least(secondOf(a, 'is stopped'));
  });

  it('is chosen whatever its clock shows', async () => {
    for (const skewMs of [-3 * 3600_000, 3 * 3600_000]) {
      const one = replica('a', '1.0.0', { skewMs });
      await world.runtime.advance(20_000);
      expect(stepsOf(one), String(skewMs)).to.deep.equal(['leads']);
      one.stop.abort();
      await world.runtime.advance(5000);
    }
  });

  it('is a candidate again when its object was deleted', async () => {
    replica('a', '1.0.0');
    await world.runtime.advance(8000);
    await world.do(coordinator.candidates.delete('a'));
    await world.runtime.advance(2000);
    const { items } = await world.do(coordinator.candidates.list());
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
  });

  it('has a name for an object when it is given none', async () => {
    const { elector } = replica('a', '1.0.0', { identity: undefined });
    await world.runtime.advance(5000);
    expect(elector.identity).to.match(
      /^[a-z\d][-a-z\d]*-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
    );
  });

  it('refuses options that do not go together', () => {
    for (const [options, problem] of [
      [{ preempt: true }, 'does not go with option "coordinated"'],
      [{ identity: 'a_b' }, 'identity'],
      [{ coordinated: { binaryVersion: 'v1.0.0' } }, 'binaryVersion'],
      [{ coordinated: { binaryVersion: '1.0.0', emulationVersion: '1.0' } }, 'emulationVersion'],
    ] as const) {
      expect(() => replica('x', '1.0.0', options)).to.throw(problem);
    }
  });
});

describe('a replica that a coordinator may choose, without a coordinator', () => {
  it('is elected by the replicas, and says so', async () => {
    const world = new ElectionWorld();
    const a = world.replica('a', { coordinated: { binaryVersion: '2.0.0' } });
    await world.runtime.advance(200);
    const b = world.replica('b', { coordinated: { binaryVersion: '1.0.0' } });
    await world.runtime.advance(5000);
    expect([stepsOf(a), stepsOf(b)]).to.deep.equal([['leads'], []]);
    expect((await world.lease()).spec).to.not.have.property('strategy');
    expect(a.log.join('\n')).to.include('no coordinator is there; the replicas elect the leader');
    a.stop.abort();
    await world.runtime.advance(2000);
    expect(stepsOf(b)).to.deep.equal(['leads']);
    await world.close();
  });

  it('waits for an answer of its server first', async () => {
    let isDown = true;
    const world = new ElectionWorld(1, (handler) => async (request) => {
      if (isDown) return { status: 503, headers: {}, body: Buffer.from('') };
      return await handler(request);
    });
    const a = world.replica('a', { coordinated: { binaryVersion: '2.0.0' } });
    await world.runtime.advance(30_000);
    expect(stepsOf(a)).to.deep.equal([]);
    expect(a.elector.inspect()).to.include({ phase: 'standby' });
    expect(a.log.join('\n')).to.include('lease failed');
    isDown = false;
    await world.runtime.advance(60_000);
    expect(stepsOf(a)).to.deep.equal(['leads']);
    await world.close();
  });
});
