import { expect } from 'chai';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { ReconcileLoop } from '../../../lib/controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { ManagedPart } from '../../../lib/controller/manager/managed-parts.ts';
import { ManagerWorld } from './manager-world.ts';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('Manager', () => {
  let world: ManagerWorld;

  beforeEach(() => {
    world = new ManagerWorld();
  });
  afterEach(async () => {
    await world.close();
    expect(world.runtime.pending).to.equal(0);
    expect(world.signals.listeners).to.equal(0);
  });

  const common = (): object => ({ runtime: world.runtime, logger: world.logger });

  it('starts caches, runnables, controllers, and stops them in the other order', async () => {
    const manager = world.manager();
    const { informers } = manager;
    informers.for('v1', 'namespaces').events.on('synced', () => void world.steps.push('cache'));
    const one = controller(world.client, 'v1', 'namespaces', { ...common(), informers }).reconcile(
      async ({ metadata }, { signal }) => {
        if (metadata.name !== 'default') return;
        world.steps.push('reconcile');
        await new Promise<void>((resolve) => {
          world.runtime.setTimer(50, resolve);
        });
        world.steps.push(`reconciled ${signal.aborted}`);
      },
    );
    manager.add(one, world.runnable('poll', 10));
    const running = failureOf(manager.run());
    while (!world.steps.includes('reconcile')) await world.runtime.advance(1);
    expect(manager.inspect().phase).to.equal('running');
    const steps = world.steps.filter((step, index, all) => all.indexOf(step) === index);
    expect(steps).to.deep.equal(['cache', 'poll begins', 'reconcile']);
    world.signals.send('SIGTERM');
    expect(await world.runtime.run(running)).to.equal(undefined);
    expect(world.steps.slice(-3)).to.deep.equal([
      'reconciled false',
      'poll stops',
      'poll has ended',
    ]);
    const { phase, stopReason, parts } = manager.inspect();
    expect([phase, stopReason]).to.deep.equal(['stopped', 'SIGTERM']);
    expect(parts.map(({ name, kind, state }) => [name, kind, state])).to.deep.equal([
      ['informers', 'cache', 'stopped'],
      ['namespaces', 'controller', 'stopped'],
      ['poll', 'runnable', 'stopped'],
    ]);
  });

  it('stops when its signal aborts, and at the end of its block', async () => {
    const stop = new AbortController();
    const manager = world.manager().add(world.runnable('poll'));
    const running = manager.run({ signal: stop.signal });
    await world.runtime.settle();
    stop.abort();
    await world.runtime.run(running);
    expect(manager.inspect().stopReason).to.equal('the signal aborted');
    const other = world.manager().add(world.runnable('poll'));
    const ended = other.run();
    await world.runtime.settle();
    await world.runtime.run(other.close());
    await world.runtime.run(ended);
    await world.manager().close();
  });

  it('refuses a second controller or runnable of one name', () => {
    const manager = world.manager();
    const one = controller(world.client, 'v1', 'pods', common()).reconcile(async () => {});
    const other = controller(world.client, 'v1', 'pods', common()).reconcile(async () => {});
    manager.add(one);
    expect(() => manager.add(other))
      .to.throw('there is a controller named pods already')
      .with.property('code', 'NAME_TAKEN');
    expect(() => manager.add(world.runnable('pods'))).to.throw('named pods');
    expect(manager.inspect().parts.length).to.equal(1);
  });

  it('refuses what is no part', () => {
    for (const part of [{}, null, { run: 1, name: 'x' }, 'pods']) {
      expect(() => world.manager().add(part as unknown as ManagedPart))
        .to.throw('Manager.add takes controllers')
        .with.property('code', 'INVALID_OPTION');
    }
    expect(() => world.manager({ port: 1 } as object)).to.throw('unknown option "port"');
  });

  it('stops all parts when one fails, and rejects with its error', async () => {
    const error = new Error('no database');
    const manager = world.manager().add(world.runnable('poll'), {
      name: 'feed',
      run: async () => {
        await new Promise<void>((resolve) => {
          world.runtime.setTimer(100, resolve);
        });
        throw error;
      },
    });
    expect(await world.runtime.run(failureOf(manager.run()))).to.equal(error);
    expect(world.steps).to.deep.equal(['poll begins', 'poll stops', 'poll has ended']);
    const { stopReason, parts } = manager.inspect();
    expect(stopReason).to.equal('feed failed: no database');
    expect(parts.map(({ state, failure }) => [state, failure])).to.deep.equal([
      ['stopped', undefined],
      ['failed', 'no database'],
    ]);
  });

  it('goes on when a part ends by itself', async () => {
    const manager = world
      .manager()
      .add({ name: 'once', run: async () => {} }, world.runnable('poll'));
    const running = failureOf(manager.run());
    await world.runtime.run(manager.whenReady({ timeoutMs: 1000 }));
    expect(manager.inspect().parts.map(({ state }) => state)).to.deep.equal(['stopped', 'ready']);
    world.signals.send('SIGINT');
    expect(await world.runtime.run(running)).to.equal(undefined);
  });

  it('begins at once what is added while it runs, and nothing after its stop', async () => {
    const manager = world.manager();
    const running = failureOf(manager.run());
    await world.runtime.settle();
    manager.add(world.runnable('late'));
    expect(world.steps).to.deep.equal(['late begins']);
    world.signals.send('SIGINT');
    expect(() => manager.add(world.runnable('later')))
      .to.throw()
      .with.property('code', 'CLOSED');
    expect(await world.runtime.run(running)).to.equal(undefined);
    expect(await failureOf(manager.run())).to.have.property('code', 'ALREADY_STARTED');
  });

  it('aborts reconciles after three fifths of its time, and waits for them', async () => {
    let aborted = false;
    const manager = world.manager({ shutdownTimeoutMs: 10_000 });
    manager.add(
      controller(world.client, 'v1', 'namespaces', common()).reconcile(async (_, { signal }) => {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
        aborted = true;
      }),
    );
    const running = failureOf(manager.run());
    await world.runtime.run(manager.whenReady({ timeoutMs: 60_000 }));
    await world.runtime.settle();
    world.signals.send('SIGTERM');
    await world.runtime.advance(5_990);
    expect(aborted).to.equal(false);
    await world.runtime.advance(20);
    expect(aborted).to.equal(true);
    expect(await world.runtime.run(running)).to.equal(undefined);
  });

  it('names what did not stop by the deadline', async () => {
    const stuck = { name: 'stuck', run: () => new Promise<void>(() => {}) };
    const manager = world.manager({ shutdownTimeoutMs: 5_000 }).add(stuck, world.runnable('poll'));
    const running = failureOf(manager.run());
    await world.runtime.settle();
    world.signals.send('SIGTERM');
    const failure = await world.runtime.run(running);
    expect(failure).to.have.property('code', 'TIMEOUT');
    expect(failure).to.have.property('message').that.includes('waiting for stuck to stop');
    expect(world.runtime.monotonicMs()).to.be.within(5_000, 5_100);
  });

  it('names a controller whose run ignores its signal', async () => {
    const manager = world.manager({ shutdownTimeoutMs: 5_000 });
    let release = (): void => {};
    manager.add(
      controller(world.client, 'v1', 'namespaces', {
        ...common(),
        shutdownTimeoutMs: 100,
      }).reconcile(
        () =>
          new Promise<void>((resolve) => {
            release = resolve;
          }),
      ),
    );
    const running = failureOf(manager.run());
    await world.runtime.run(manager.whenReady({ timeoutMs: 60_000 }));
    await world.runtime.settle();
    world.signals.send('SIGTERM');
    const failure = await world.runtime.run(running);
    expect(failure).to.have.property('message').that.includes('waiting for namespaces to stop');
    expect(world.log.join('\n')).to.include('manager: a part failed while it stopped');
    release();
    await world.runtime.settle();
  });

  it('ends at once at a second signal, unless npm has passed on the first one', async () => {
    const manager = world.manager().add(world.runnable('slow', 20_000));
    const running = failureOf(manager.run());
    await world.runtime.settle();
    world.signals.send('SIGINT');
    await world.runtime.advance(500);
    world.signals.send('SIGINT');
    await world.runtime.advance(1000);
    expect(world.signals.ended).to.deep.equal([]);
    world.signals.send('SIGINT');
    const failure = await world.runtime.run(running);
    expect(world.runtime.monotonicMs()).to.be.lessThan(1_600);
    expect(world.signals.ended).to.deep.equal(['SIGINT']);
    expect(failure).to.have.property('code', 'ABORTED');
    expect(failure).to.have.property('message').that.includes('slow had not stopped');
    await world.runtime.advance(20_000);
  });

  it('says what is missing when it is not ready in time', async () => {
    const never = { ...world.runnable('never'), whenReady: () => new Promise<void>(() => {}) };
    const manager = world.manager({ startTimeoutMs: 5_000 }).add(never);
    const running = failureOf(manager.run());
    const failure = await world.runtime.run(failureOf(manager.whenReady({ timeoutMs: 1000 })));
    expect(failure).to.have.property('message').that.includes('the manager: never');
    const ended = await world.runtime.run(running);
    expect(ended).to.have.property('code', 'TIMEOUT');
    expect(ended).to.have.property('message').that.includes('never to be ready');
  });

  it('gives its metrics to the controllers that have none', async () => {
    const manager = world.manager();
    manager.add(controller(world.client, 'v1', 'namespaces', common()).reconcile(async () => {}));
    const running = failureOf(manager.run());
    await world.runtime.run(manager.whenReady({ timeoutMs: 60_000 }));
    await world.runtime.settle();
    const text = manager.metrics.text();
    for (const line of [
      'controller_runtime_reconcile_total{controller="namespaces",result="success"} 4',
      'controller_runtime_max_concurrent_reconciles{controller="namespaces"} 1',
      'workqueue_adds_total{name="namespaces"} 4',
      'workqueue_depth{name="namespaces",priority="-100"} 0',
      'listwatch_informer_sync_duration_seconds_count{name="namespaces/namespaces"} 1',
    ]) {
      expect(text).to.include(`${line}\n`);
    }
    world.signals.send('SIGTERM');
    await world.runtime.run(running);
  });

  /** A loop whose run takes so long, and notes whether its signal has aborted. */
  const loopOf = (endsAfterMs: number, shutdownTimeoutMs?: number): ReconcileLoop => {
    const queue = new RateLimitingQueue({ name: 'mails', ...common() });
    queue.add('one');
    return new ReconcileLoop({
      queue,
      shutdownTimeoutMs,
      ...common(),
      reconcile: async (_, { signal }) => {
        signal.addEventListener('abort', () => world.steps.push('aborted'));
        await sleep(world.runtime, endsAfterMs);
        world.steps.push('done');
      },
    });
  };

  it('lets the runs of a reconcile loop end, as those of a controller', async () => {
    const manager = world.manager().add(loopOf(1_500, 2_000), world.runnable('poll'));
    const running = failureOf(manager.run());
    await world.runtime.advance(100);
    world.signals.send('SIGTERM');
    expect(await world.runtime.run(running)).to.equal(undefined);
    // A part without a drain stops at once.
    expect(world.steps).to.deep.equal(['poll begins', 'poll stops', 'poll has ended', 'done']);
    expect(world.runtime.monotonicMs()).to.be.within(1_500, 1_600);
  });

  it('aborts the runs of a reconcile loop after its shutdownTimeoutMs, or nine tenths of its own', async () => {
    for (const [own, ofManager, abortedAtMs] of [
      [2_000, 30_000, 2_000],
      [undefined, 10_000, 9_000],
    ] as const) {
      const manager = world.manager({ shutdownTimeoutMs: ofManager }).add(loopOf(9_500, own));
      const running = failureOf(manager.run());
      await world.runtime.settle();
      world.steps.length = 0;
      world.signals.send('SIGTERM');
      await world.runtime.advance(abortedAtMs - 10);
      expect(world.steps).to.deep.equal([]);
      await world.runtime.advance(20);
      expect(world.steps).to.deep.equal(['aborted']);
      await world.runtime.run(running);
      await world.runtime.advance(10_000);
    }
  });

  it('waits no longer than that for a drain that does not end', async () => {
    const drain = (): Promise<void> => new Promise(() => {});
    const manager = world.manager({ shutdownTimeoutMs: 10_000 });
    manager.add({ ...world.runnable('poll'), drain });
    const running = failureOf(manager.run());
    await world.runtime.settle();
    world.signals.send('SIGTERM');
    await world.runtime.advance(8_990);
    expect(world.steps).to.deep.equal(['poll begins']);
    await world.runtime.advance(20);
    expect(await running).to.equal(undefined);
    expect(world.steps.at(-1)).to.equal('poll has ended');
  });

  it('gives its metrics to a reconcile loop and its queue', async () => {
    const manager = world.manager().add(loopOf(10));
    const running = failureOf(manager.run());
    await world.runtime.advance(100);
    const text = manager.metrics.text();
    for (const line of [
      'controller_runtime_reconcile_total{controller="mails",result="success"} 1',
      'workqueue_work_duration_seconds_count{name="mails"} 1',
    ]) {
      expect(text).to.include(`${line}\n`);
    }
    await world.runtime.run(manager.close());
    expect(await running).to.equal(undefined);
  });

  it('leaves no timer of a part that was not ready when it stopped', async () => {
    const manager = world.manager();
    const never = async (): Promise<void> => await new Promise<void>(() => {});
    manager.add({ ...world.runnable('slow'), whenReady: never });
    const running = failureOf(manager.run());
    await world.runtime.advance(1_000);
    await world.runtime.run(manager.close());
    expect(await running).to.equal(undefined);
    expect(world.runtime.pending).to.equal(0);
    expect(world.log).to.deep.equal([]);
  });
});
