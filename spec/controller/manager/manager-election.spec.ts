import { expect } from 'chai';
import type { WriteFence } from '../../../lib/client/transport/contract/write-fence.ts';
import type { Manager } from '../../../lib/controller/manager/manager.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { ManagerWorld } from './manager-world.ts';

describe('A Manager with leader election', () => {
  let world: ManagerWorld;
  const managers: Manager[] = [];
  /** Which replica reconciled what. */
  let runs: string[];

  beforeEach(() => {
    world = new ManagerWorld();
    runs = [];
  });

  afterEach(async () => {
    for (const manager of managers.splice(0)) await world.runtime.run(manager.close());
    await world.close();
  });

  const maps = () => world.client.resource('v1', 'configmaps', { namespace: 'default' });

  function replica(
    identity: string,
    fencing: 'local' | 'strict' = 'local',
    preempt: boolean = false,
  ): Manager {
    const { runtime, logger } = world;
    const manager = world.manager({
      leaderElection: { name: 'program', namespace: 'default', identity, fencing, preempt },
    });
    const greeter = controller(world.client, 'v1', 'configmaps', {
      name: identity,
      namespace: 'default',
      labelSelector: 'app=spec',
      runtime,
      logger,
    })
      .whenGone(({ name }) => {
        runs.push(`${identity} misses ${name}`);
        return Promise.resolve();
      })
      .reconcile(async ({ metadata: { name } }, { resource }) => {
        runs.push(`${identity} ${name}`);
        await resource('v1', 'configmaps').patch(name, { data: { by: identity } });
      });
    manager.add(greeter, world.runnable(`${identity}: work`), {
      ...world.runnable(`${identity}: page`),
      everyReplica: true,
    });
    managers.push(manager);
    return manager;
  }

  async function started(manager: Manager): Promise<{ readonly running: Promise<unknown> }> {
    const running = manager.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    await world.runtime.run(manager.whenReady({ timeoutMs: 30_000 }));
    await world.runtime.advance(500);
    return { running };
  }

  async function create(name: string): Promise<void> {
    await world.runtime.run(maps().create({ metadata: { name, labels: { app: 'spec' } } }));
    await world.runtime.advance(500);
  }

  it('fills the cache of a standby, which is ready and reconciles nothing; runnables of every replica run', async () => {
    const [a, b] = [replica('a'), replica('b')];
    await started(a);
    await started(b);
    await create('one');
    expect(runs).to.deep.equal(['a one']);
    expect(a.inspect().controllers[0]?.phase).to.equal('running');
    const { controllers, parts, election, phase } = b.inspect();
    expect(phase).to.equal('running');
    expect(controllers[0]).to.include({ phase: 'standby' });
    expect(controllers[0]?.sources[0]).to.include({ synced: true });
    expect(controllers[0]?.queue.waiting, 'nothing grows while it waits').to.include({ count: 0 });
    expect(election).to.include({ phase: 'standby', leader: 'a' });
    expect(parts.map(({ name, state }) => `${name} ${state}`)).to.deep.equal([
      'b ready',
      'b: work standby',
      'b: page ready',
    ]);
    expect(world.steps).to.deep.equal(['a: page begins', 'a: work begins', 'b: page begins']);
  });

  it('hands over on a stop: reconciles of the next leader begin within a second, with all objects that are there', async () => {
    const [a, b] = [replica('a'), replica('b')];
    await started(a);
    await started(b);
    await create('one');
    await create('two');
    await world.runtime.run(maps().delete('two'));
    await world.runtime.advance(500);
    runs.splice(0);
    const stopped = a.close();
    await world.runtime.advance(1000);
    await world.runtime.run(stopped);
    expect(runs, 'what is gone was the matter of the leader').to.deep.equal(['b one']);
    expect(world.steps.slice(-5)).to.have.members([
      'a: work stops',
      'a: work has ended',
      'b: work begins',
      'a: page stops',
      'a: page has ended',
    ]);
    expect(world.steps.indexOf('b: work begins')).to.be.above(
      world.steps.indexOf('a: work has ended'),
    );
    await create('three');
    expect(runs).to.deep.equal(['b one', 'b three']);
  });

  for (const fencing of ['local', 'strict'] as const) {
    it(`stops when the lease is lost, and rejects with LEADERSHIP_LOST; fencing: ${fencing}`, async () => {
      const a = replica('a', fencing);
      const { running } = await started(a);
      await create('one');
      const leases = world.client.resource('coordination.k8s.io/v1', 'leases', {
        namespace: 'default',
      });
      await world.runtime.run(
        leases.patch('program', { spec: { holderIdentity: 'thief', leaseTransitions: 9 } }),
      );
      if (fencing === 'strict') {
        // The server reports it with the next write, before it renews.
        await create('two');
        expect((await world.runtime.run(maps().get('two'))).data).to.equal(undefined);
        expect(a.inspect().phase).to.not.equal('running');
      }
      const failure = await world.runtime.run(running);
      expect(isListwatchError(failure, 'LEADERSHIP_LOST'), String(failure)).to.equal(true);
      expect(a.inspect().parts.map(({ state }) => state)).to.deep.equal([
        'stopped',
        'stopped',
        'stopped',
      ]);
      expect((await world.runtime.run(leases.get('program'))).spec?.holderIdentity).to.equal(
        'thief',
      );
    });
  }

  it('does not give the lease back while a run goes on that ignores its signal: another one leads when it has ended', async () => {
    const a = replica('a');
    const deaf = deferred<void>();
    a.add({
      name: 'a: deaf',
      run: async () => {
        await deaf.promise;
      },
    });
    const { running } = await started(a);
    const b = replica('b');
    await started(b);
    const stoppedAtMs = world.runtime.monotonicMs();
    void a.close().catch(() => {});
    const failure = await world.runtime.run(running);
    expect(isListwatchError(failure, 'TIMEOUT'), String(failure)).to.equal(true);
    const leases = world.client.resource('coordination.k8s.io/v1', 'leases', {
      namespace: 'default',
    });
    const lease = await world.runtime.run(leases.get('program'));
    expect(lease.spec?.holderIdentity).to.equal('a');
    expect(b.inspect().election?.phase).to.equal('standby');
    while (b.inspect().election?.phase !== 'leading') await world.runtime.advance(100);
    const afterMs = world.runtime.monotonicMs() - stoppedAtMs;
    // Until the manager gives up, and the lease after its last renewal.
    expect(afterMs).to.be.within(25_000 + 10_000, 25_000 + 15_000 + 4400);
    deaf.resolve();
  });

  it('gives the lease to a replica with preempt once its work has ended: no write is cut off, and run rejects', async () => {
    const a = replica('a');
    a.add(world.runnable('a: slow', 4000));
    const { running } = await started(a);
    await create('one');
    runs.splice(0);
    const laptop = replica('laptop', 'local', true);
    await started(laptop);
    const failure = await world.runtime.run(running);
    expect(isListwatchError(failure, 'LEADERSHIP_PREEMPTED'), String(failure)).to.equal(true);
    await world.runtime.advance(1000);
    const { steps } = world;
    expect(steps.indexOf('laptop: work begins')).to.be.above(steps.indexOf('a: slow has ended'));
    expect(runs).to.deep.equal(['laptop one']);
    await create('two');
    expect(runs).to.deep.equal(['laptop one', 'laptop two']);
  });

  it('refuses a write of a standby before it is sent', async () => {
    const [a, b] = [replica('a'), replica('b')];
    let caught: WriteFence | undefined;
    b.add({
      name: 'early',
      everyReplica: true,
      run: async ({ fence }) => {
        expect(fence).to.equal(undefined);
        await Promise.resolve();
      },
    });
    a.add({
      name: 'writer',
      run: async ({ fence, signal }) => {
        if (fence === undefined) throw new Error('no fence');
        await world.client
          .fencedBy(fence)
          .resource('v1', 'configmaps', { namespace: 'default', signal })
          .create({ metadata: { name: 'written' } });
        caught = fence;
      },
    });
    await started(a);
    await started(b);
    expect((await world.runtime.run(maps().get('written'))).metadata.name).to.equal('written');
    await world.runtime.run(a.close());
    const late = world.client
      .fencedBy(caught!)
      .resource('v1', 'configmaps', { namespace: 'default' });
    const failure = await world.runtime.run(
      late.delete('written').catch((error: unknown) => error),
    );
    expect(isListwatchError(failure, 'NOT_LEADING'), String(failure)).to.equal(true);
  });

  it('shows the election in its metrics', async () => {
    const a = replica('a');
    await started(a);
    expect(a.metrics.text()).to.match(/^leader_election_master_status\{name="program"\} 1$/m);
    await world.runtime.run(a.close());
    expect(a.metrics.text()).to.match(/^leader_election_master_status\{name="program"\} 0$/m);
  });
});
