import { expect } from 'chai';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import type { Secret } from '../../../lib/types/index.ts';
import type { ControllerOptions } from '../../../lib/controller/builder/controller-options.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { ControllerWorld } from './controller-world.ts';

const NAMES = ['a', 'b', 'c', 'd'];

describe('A controller', () => {
  let world: ControllerWorld;
  let runs: string[];

  beforeEach(async () => {
    world = new ControllerWorld();
    runs = [];
    for (const name of NAMES) await world.after(create(name));
  });
  afterEach(() => world.stop());

  const create = (name: string): Promise<unknown> =>
    world.user.resource('v1', 'secrets', { namespace: 'default' }).create({ metadata: { name } });

  /** Reconciles in 100 ms each. */
  const slow = (options: ControllerOptions = {}): Controller<Secret> =>
    controller(world.client, 'v1', 'secrets', {
      ...world.options,
      ...options,
    }).reconcile(async ({ metadata: { name } }) => {
      runs.push(name);
      await sleep(world.runtime, 100);
    });

  it('reconciles what changes before the objects that were there', async () => {
    const one = slow();
    await world.start(one);
    await world.after(create('new'));
    expect(
      one.inspect().queue.waiting.keys.map(({ key, priority }) => [key, priority]),
    ).to.deep.equal([
      ['default/new', 0],
      ['default/b', -100],
      ['default/c', -100],
      ['default/d', -100],
    ]);
    await world.runtime.advance(1000);
    expect(runs).to.deep.equal(['a', 'new', 'b', 'c', 'd']);
  });

  it('takes the priority of a change from option priority, and says when that is none', async () => {
    const priority = ({ key }: { readonly key: string }): number | undefined =>
      ({ 'default/d': 5, 'default/c': 0.5 })[key];
    const one = slow({ priority });
    await world.start(one);
    await world.runtime.advance(1000);
    expect(runs).to.deep.equal(['d', 'a', 'b', 'c']);
    expect(world.log.join('\n')).to.include('priority failed; the change gets the usual one: ');
    expect(one.inspect().sources[0]?.failures).to.equal(1);
  });

  it('has the limits of option queue', async () => {
    const one = slow({ queue: { maxPerSecond: 2, burst: 1 } });
    await world.start(one);
    await world.runtime.advance(1000);
    expect(runs).to.deep.equal(['a', 'b', 'c']);
    await world.runtime.advance(1000);
    expect(() => slow({ queue: { debounce: 1 } as object }))
      .to.throw('unknown option "debounce"')
      .with.property('code', 'INVALID_OPTION');
  });

  it('drains: running reconciles end, and no other begins', async () => {
    const one = slow();
    await world.start(one);
    const report = await world.runtime.run(one.drain());
    expect([report.drained, report.waiting.count]).to.deep.equal([true, 3]);
    await world.runtime.run(one.close());
    expect([runs, one.inspect().phase]).to.deep.equal([['a'], 'stopped']);
  });

  it('requeues with the priority of the result', async () => {
    const seen: string[] = [];
    const one = controller(world.client, 'v1', 'secrets', world.options).reconcile(
      async ({ metadata: { name } }, { reasons }) => {
        seen.push(`${name} ${reasons[0]?.type}`);
        await sleep(world.runtime, 100);
        return name === 'a' && seen.length === 1 ? { requeueAfterMs: 50, priority: 7 } : {};
      },
    );
    await world.start(one);
    await world.runtime.advance(1000);
    expect(seen).to.deep.equal(['a added', 'b added', 'a requeue', 'c added', 'd added']);
  });
});
