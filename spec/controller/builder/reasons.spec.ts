import type { Deployment } from '../../../lib/types/index.ts';
import { expect } from 'chai';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import { ControllerWorld, deployment } from './controller-world.ts';

describe('A controller', () => {
  let world: ControllerWorld;

  beforeEach(() => {
    world = new ControllerWorld();
  });
  afterEach(() => world.stop());

  const deployments = () => world.user.resource('apps/v1', 'deployments', { namespace: 'default' });

  for (const queue of [{ debounceMs: 50 }, { minIntervalMs: 5_000 }, { maxPerSecond: 1 }]) {
    const [option = ''] = Object.keys(queue);
    it(`gives the reason why it reconciles a key that ${option} has held back`, async () => {
      const one = controller(world.client, 'apps/v1', 'deployments', {
        ...world.options,
        queue,
      }).reconcile(async () => {});
      await world.start(one);
      await world.after(deployments().create(deployment('a')));
      await world.runtime.advance(100);
      await world.after(deployments().delete('a'));
      one.enqueue('default/a');
      await world.runtime.advance(10_000);
      const why = one.inspect().history.map(({ reasons }) => reasons.map(({ type }) => type));
      expect(why).to.deep.equal([['added'], ['deleted', 'enqueued']]);
    });
  }

  it('distinguishes the reasons of two controllers of one informer', async () => {
    const why: string[] = [];
    const informers = new SharedInformerFactory(world.client, world.options);
    const make = (name: string): Controller<Deployment> =>
      controller(world.client, 'apps/v1', 'deployments', { ...world.options, informers, name })
        .whenGone(async (_gone, { reasons }) => {
          why.push(`${name}: ${reasons.map(({ type }) => type).join(', ')}`);
        })
        .reconcile(async (_object, { reasons }) => {
          why.push(`${name}: ${reasons.map(({ type }) => type).join(', ')}`);
        });
    const [one, other] = [make('one'), make('other')];
    await world.start(one);
    await world.start(other);
    await world.after(deployments().create(deployment('a')));
    other.pause();
    for (const replicas of [2, 3]) {
      await world.after(deployments().patch('a', { spec: { replicas } }));
    }
    await world.after(deployments().delete('a'));
    other.resume();
    await world.runtime.settle();
    expect(why).to.deep.equal([
      'one: added',
      'other: added',
      'one: updated',
      'one: updated',
      'one: deleted',
      'other: updated, updated, deleted',
    ]);
    await world.runtime.run(Promise.all([one.close(), other.close()]));
    await world.runtime.run(informers.close());
  });
});
