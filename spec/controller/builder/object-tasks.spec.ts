import { expect } from 'chai';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { ControllerWorld } from './controller-world.ts';

describe('timers and daemons of a controller', () => {
  let world: ControllerWorld;
  let events: string[];

  beforeEach(() => {
    world = new ControllerWorld();
    events = [];
  });

  afterEach(async () => {
    await world.stop();
  });

  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });
  const builder = () => controller(world.client, 'v1', 'configmaps', world.options);
  const make = async (name: string) => await world.after(maps().create({ metadata: { name } }));
  const reconcile = async (): Promise<void> => {};

  it('a timer runs for each object at its interval, until the object goes', async () => {
    await make('a');
    const one = builder()
      .every(60_000, async ({ metadata }) => void events.push(metadata.name), {
        initialDelayMs: 1_000,
      })
      .reconcile(reconcile);
    await world.start(one);
    await world.runtime.advance(1_000);
    await make('b');
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['a', 'b', 'a']);
    await world.after(maps().delete('a'));
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['a', 'b', 'a', 'b']);
    await world.runtime.advance(60_000);
    expect(one.inspect().tasks).to.deep.equal([
      { name: 'every 60000 ms', running: [], waiting: 1, failures: 0 },
    ]);
    await make('a');
    await world.runtime.advance(1_000);
    expect(events.filter((name) => name === 'a')).to.have.length(3);
  });

  it('a timer reports to the metrics that the controller is given later', async () => {
    await make('a');
    const names = new Set<string>();
    const ofPoll = new Set<string>();
    const note = (metric: string, _value: number, labels: Readonly<Record<string, string>>) => {
      for (const label of Object.values(labels)) {
        names.add(label);
        if (label === 'configmaps: poll') ofPoll.add(metric);
      }
    };
    const one = builder()
      .every(60_000, async () => {}, { name: 'poll', initialDelayMs: 1_000 })
      .reconcile(reconcile);
    one.reportTo({ count: note, gauge: note, observe: note });
    await world.start(one);
    await world.runtime.advance(1_000);
    expect([...names]).to.include.members(['configmaps', 'configmaps: poll']);
    expect([...ofPoll]).to.include.members([
      'workqueue_retries_total',
      'controller_runtime_reconcile_total',
    ]);
  });

  it('a timer waits while the controller is paused, and goes on after it', async () => {
    await make('a');
    const one = builder()
      .every(60_000, async () => void events.push('run'), { initialDelayMs: 1_000 })
      .reconcile(reconcile);
    await world.start(one);
    one.pause();
    await world.runtime.advance(200_000);
    expect(events).to.deep.equal([]);
    one.resume();
    await world.runtime.advance(1_000);
    expect(events).to.deep.equal(['run']);
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['run', 'run']);
  });

  it('first runs of a timer are spread over the interval; a result may name the next one', async () => {
    for (let index = 0; index < 20; index += 1) await make(`map-${index}`);
    const times: number[] = [];
    await world.start(
      builder()
        .every(100_000, async () => {
          times.push(world.runtime.monotonicMs());
          return { requeueAfterMs: 1_000_000 };
        })
        .reconcile(reconcile),
    );
    const begun = world.runtime.monotonicMs();
    await world.runtime.advance(50_000);
    expect(times.length).to.be.within(1, 19);
    await world.runtime.advance(500_000);
    expect(times).to.have.length(20);
    expect(Math.max(...times) - begun).to.be.below(100_001);
  });

  it('a timer goes on after a run that names no time, with 0, and after one that is terminal', async () => {
    await make('a');
    const results = [{ requeueAfterMs: 0 }, { terminal: 'no such zone' }];
    await world.start(
      builder()
        .every(
          60_000,
          async () => {
            events.push('run');
            return results.shift();
          },
          { initialDelayMs: 1, name: 'poll' },
        )
        .reconcile(reconcile),
    );
    await world.runtime.advance(59_000);
    expect(events).to.have.length(1);
    await world.runtime.advance(60_000);
    expect(events).to.have.length(2);
    await world.runtime.advance(120_000);
    expect(events).to.have.length(4);
    expect(world.log).to.deep.equal([
      'error: reconcile failed: configmaps: poll: default/a: given up: no such zone (failures=1)',
    ]);
  });

  it('a failed run of a timer is logged and repeated, and other objects do not wait for it', async () => {
    await make('a');
    await make('b');
    const one = builder()
      .every(
        60_000,
        async ({ metadata: { name } }) => {
          events.push(name);
          if (events.filter((other) => other === 'a').length === 1 && name === 'a')
            throw new Error('no luck');
        },
        { initialDelayMs: 1, name: 'poll' },
      )
      .reconcile(reconcile);
    await world.start(one);
    await world.runtime.advance(1_000);
    expect(events.toSorted()).to.deep.equal(['a', 'a', 'b']);
    expect(world.log).to.deep.equal([
      'error: reconcile failed: configmaps: poll: default/a: no luck (failures=1 retryInMs=5)',
    ]);
    expect(one.inspect().tasks[0]?.failures).to.equal(1);
  });

  it('a daemon runs while its object is there; its signal aborts when it goes', async () => {
    await make('a');
    const one = builder()
      .daemon(async ({ metadata: { name } }, { signal, current }) => {
        events.push(`begin ${name}`);
        await sleep(world.runtime, 10_000_000, { signal }).catch(() => {});
        events.push(`end ${name} ${current()?.metadata.deletionTimestamp === undefined}`);
      })
      .reconcile(reconcile);
    await world.start(one);
    await world.after(maps().patch('a', { metadata: { finalizers: ['example.com/x'] } }));
    expect(events).to.deep.equal(['begin a']);
    await world.after(maps().delete('a'));
    // It ends with the deletion, not with the last finalizer.
    expect(events).to.deep.equal(['begin a', 'end a false']);
    await world.after(maps().patch('a', { metadata: { finalizers: null } }));
    await make('a');
    expect(events.at(-1)).to.equal('begin a');
    expect(one.inspect().tasks[0]).to.deep.include({ name: 'daemon', running: ['default/a'] });
    await world.runtime.run(one.close());
    expect(events.at(-1)).to.equal('end a true');
    expect(world.log).to.deep.equal([]);
  });

  it('a daemon that fails is started again after a growing pause; one that ends is not', async () => {
    await make('a');
    const times: number[] = [];
    const one = builder()
      .daemon(async () => {
        times.push(world.runtime.monotonicMs());
        if (times.length < 4) throw new Error('lost');
      })
      .reconcile(reconcile);
    await world.start(one);
    await world.runtime.advance(100_000);
    expect(times).to.have.length(4);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses[0]).to.be.within(1_000, 2_000);
    expect(pauses[2]).to.be.within(4_000, 8_000);
    expect(world.log[0]).to.equal(
      'error: daemon failed: lost (controller=configmaps daemon=daemon key=default/a restarts=true)',
    );
    expect(one.inspect().tasks).to.deep.equal([
      { name: 'daemon', running: [], waiting: 0, failures: 3 },
    ]);
  });

  it('a daemon may be restarted always, or never', async () => {
    await make('a');
    let [always, never] = [0, 0];
    const one = builder()
      .daemon(async () => void (always += 1), { restart: 'always', name: 'again' })
      .daemon(
        async () => {
          never += 1;
          throw new Error('x');
        },
        { restart: 'never', name: 'once' },
      )
      .reconcile(reconcile);
    await world.start(one);
    await world.runtime.advance(10_000);
    expect(always).to.be.above(2);
    expect(never).to.equal(1);
    expect(world.log).to.deep.equal([
      'error: daemon failed: x (controller=configmaps daemon=once key=default/a restarts=false)',
    ]);
  });

  it('daemons are bounded, and the objects beyond wait in line', async () => {
    for (const name of ['a', 'b', 'c']) await make(name);
    const one = builder()
      .daemon(
        async ({ metadata }, { signal }) => {
          events.push(metadata.name);
          await sleep(world.runtime, 10_000_000, { signal });
        },
        { maxRunning: 2 },
      )
      .reconcile(reconcile);
    await world.start(one);
    expect(events).to.have.length(2);
    expect(one.inspect().tasks[0]).to.deep.include({ waiting: 1 });
    const full = [
      'warn: daemons wait for others to end; raise maxRunning (controller=configmaps daemon=daemon running=2 waiting=1)',
    ];
    expect(world.log).to.deep.equal(full);
    await world.after(maps().delete(events[0] ?? ''));
    expect(events).to.have.length(3);
    // A daemon that rejects because it was stopped has not failed.
    expect(one.inspect().tasks[0]?.failures).to.equal(0);
    await make('d');
    await make('e');
    expect(world.log, 'reported once each time that they are full').to.deep.equal([
      ...full,
      ...full,
    ]);
  });

  it('a daemon that ignores its signal is named, holds its place, and does not hold the end', async () => {
    await make('a');
    const one = builder()
      .daemon(async () => await new Promise<never>(() => {}), { stopTimeoutMs: 5_000 })
      .reconcile(reconcile);
    await world.start(one);
    await world.after(maps().delete('a'));
    await make('a');
    await world.runtime.advance(5_000);
    expect(world.log[0]).to.match(
      /daemon still runs after its signal .*key=default\/a stopTimeoutMs=5000/,
    );
    expect(one.inspect().tasks[0]?.running).to.deep.equal(['default/a']);
    await world.runtime.run(one.close());
  });

  it('a daemon runs again for an object that comes back before the last run has ended', async () => {
    const labels = { daemon: 'yes' };
    await world.after(maps().create({ metadata: { name: 'a', labels } }));
    const options = { ...world.options, labelSelector: 'daemon=yes' };
    const one = controller(world.client, 'v1', 'configmaps', options)
      .daemon(async (_map, { signal }) => {
        events.push('begin');
        await sleep(world.runtime, 10_000_000, { signal }).catch(() => {});
        await sleep(world.runtime, 1_000);
        events.push('end');
      })
      .reconcile(reconcile);
    await world.start(one);
    await world.after(maps().patch('a', { metadata: { labels: { daemon: 'no' } } }));
    await world.after(maps().patch('a', { metadata: { labels } }));
    await world.runtime.advance(2_000);
    expect(events).to.deep.equal(['begin', 'end', 'begin']);
    expect(one.inspect().tasks[0]?.running).to.deep.equal(['default/a']);
    await world.after(maps().patch('a', { metadata: { labels: { daemon: 'no' } } }));
    await world.runtime.advance(2_000);
    expect(events).to.deep.equal(['begin', 'end', 'begin', 'end']);
  });

  it('leaves no timer when the controller is closed before it was ready', async () => {
    await make('a');
    const one = controller(world.client, 'v1', 'configmaps', {
      ...world.options,
      missingResource: 'wait',
    })
      .owns('missing.example.com/v1', 'things')
      .every(3_600_000, async () => {})
      .reconcile(reconcile);
    const running = one.run();
    await world.runtime.advance(10_000);
    expect(one.inspect().tasks[0]?.waiting).to.equal(1);
    await world.runtime.run(one.close());
    await running;
    expect(one.inspect().tasks[0]?.waiting).to.equal(0);
  });
});
