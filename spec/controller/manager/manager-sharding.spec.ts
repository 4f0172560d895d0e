import { expect } from 'chai';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Manager } from '../../../lib/controller/manager/manager.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ManagerWorld } from './manager-world.ts';

const OBJECTS = 60;

describe('A Manager with sharding', () => {
  let world: ManagerWorld;
  const managers: Manager[] = [];
  /** Which replica reconciled what. */
  let runs: { readonly by: string; readonly key: string }[];
  let running: Map<string, string>;
  let twice: string[];

  beforeEach(async () => {
    world = new ManagerWorld();
    runs = [];
    running = new Map();
    twice = [];
    for (let index = 0; index < OBJECTS; index += 1) {
      const metadata = { name: `item-${index}`, labels: { app: 'spec' } };
      await world.runtime.run(maps().create({ metadata }));
    }
  });

  afterEach(async () => {
    for (const manager of managers.splice(0)) await world.runtime.run(manager.close());
    await world.close();
  });

  const maps = () => world.client.resource('v1', 'configmaps', { namespace: 'default' });

  async function replica(by: string, runMs: number = 0): Promise<Manager> {
    const { runtime, logger } = world;
    const manager = world.manager({ sharding: { name: 'program', namespace: 'default' } });
    const options = { name: by, namespace: 'default', labelSelector: 'app=spec', runtime, logger };
    const greeter = controller(world.client, 'v1', 'configmaps', {
      ...options,
      concurrency: 4,
    }).reconcile(async ({ metadata: { name } }, { resource }) => {
      const other = running.get(name);
      if (other !== undefined) twice.push(`${name} by ${other} and ${by}`);
      running.set(name, by);
      runs.push({ by, key: name });
      await resource('v1', 'configmaps').patch(name, { data: { by } });
      if (runMs > 0) await sleep(runtime, runMs);
      running.delete(name);
    });
    manager.add(greeter);
    managers.push(manager);
    void manager.run().catch(() => {});
    await runtime.run(manager.whenReady({ timeoutMs: 30_000 }));
    return manager;
  }

  const keysOf = (by: string): Set<string> =>
    new Set(runs.filter((run) => run.by === by).map(({ key }) => key));

  it('reconciles each object on one of the replicas, and none on two', async () => {
    await replica('a');
    await replica('b');
    await world.runtime.advance(10_000);
    runs.splice(0);
    for (let index = 0; index < OBJECTS; index += 1) {
      await world.runtime.run(
        maps().patch(`item-${index}`, { metadata: { labels: { round: '2' } } }),
      );
    }
    await world.runtime.advance(2000);
    const [a, b] = [keysOf('a'), keysOf('b')];
    expect(a.size + b.size).to.equal(OBJECTS);
    expect(
      [a.size, b.size].every((size) => size > 10),
      `${a.size} and ${b.size}`,
    ).to.equal(true);
  });

  it('reconciles the objects of a replica that was stopped on the others, and those alone', async () => {
    const a = await replica('a');
    await replica('b');
    await world.runtime.advance(10_000);
    const slots = a.inspect().sharding?.slots ?? 0;
    expect(slots).to.be.within(60, 200);
    const keys = keysOf('a');
    runs.splice(0);
    const closed = a.close();
    await world.runtime.advance(1500);
    await world.runtime.run(closed);
    for (const key of keys) expect(keysOf('b').has(key), key).to.equal(true);
    expect(managers[1]?.inspect().sharding).to.include({ slots: 256 });
  });

  it('runs no key on two replicas while it moves, also with long runs', async () => {
    await replica('a', 3000);
    await world.runtime.advance(5000);
    await replica('b', 3000);
    await replica('c', 3000);
    await world.runtime.advance(120_000);
    expect(twice).to.deep.equal([]);
    expect([...keysOf('b')].length).to.be.above(0);
  });

  it('gives no key away while a run goes on that ignores its signal: others have it when the lease has ended', async () => {
    const a = await replica('a', 60_000);
    await world.runtime.advance(5000);
    await replica('b');
    expect(running.size, 'runs of a').to.equal(4);
    const stuck = [...running.keys()];
    const closed = a.close();
    await world.runtime.advance(26_000);
    await world.runtime.run(closed);
    const endedMs = world.runtime.monotonicMs();
    const waitedMs = (): number => world.runtime.monotonicMs() - endedMs;
    const hasBegun = (): boolean => stuck.some((key) => keysOf('b').has(key));
    while (!hasBegun() && waitedMs() < 60_000) await world.runtime.advance(100);
    expect(waitedMs()).to.be.within(10_000, 20_000);
  });

  it('refuses a second way to divide the work', () => {
    const options = { sharding: { name: 'x' }, leaderElection: { name: 'x' } };
    try {
      world.manager(options);
      expect.fail('it was made');
    } catch (error) {
      expect(isListwatchError(error, 'INVALID_OPTION')).to.equal(true);
      expect(String(error)).to.include('"sharding" excludes "leaderElection"');
    }
  });
});
