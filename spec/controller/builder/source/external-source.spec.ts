import { expect } from 'chai';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type {
  EventSource,
  Subscription,
} from '../../../../lib/controller/builder/source/external-source.ts';
import { describeReason } from '../../../../lib/controller/change/reconcile-reasons.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { ControllerWorld } from '../controller-world.ts';

describe('an external source of a controller', () => {
  let world: ControllerWorld;
  let runs: string[];

  beforeEach(async () => {
    world = new ControllerWorld();
    runs = [];
    for (const name of ['a', 'b']) {
      const maps = world.user.resource('v1', 'configmaps', { namespace: 'default' });
      await world.after(maps.create({ metadata: { name } }));
    }
  });

  afterEach(async () => {
    await world.stop();
  });

  const startWith = async (source: EventSource) => {
    const one = controller(world.client, 'v1', 'configmaps', world.options)
      .triggeredBy('payments', source)
      .reconcile(async (_object, { key, reasons }) => {
        runs.push(`${key}: ${reasons.map(describeReason).join()}`);
      });
    await world.start(one);
    runs = runs.filter((run) => run.includes('external'));
    return one;
  };

  it('is a function that subscribes, and gets a signal to end', async () => {
    let subscription: Subscription | undefined;
    let ended = 0;
    const one = await startWith((given) => {
      subscription = given;
      return () => {
        ended += 1;
      };
    });
    subscription?.emit('default/a');
    await world.runtime.settle();
    expect(runs).to.deep.equal(['default/a: external (payments)']);
    expect(one.inspect().external).to.deep.equal([
      { name: 'payments', state: 'running', events: 1, failures: 0, lastError: undefined },
    ]);
    expect(ended).to.equal(0);
    await world.runtime.run(one.close());
    expect(subscription?.signal.aborted).to.equal(true);
    expect(ended).to.equal(1);
  });

  it('is an iterable, or a function that makes one; one that never ends is left', async () => {
    const one = await startWith(async function* () {
      yield [{ namespace: 'default', name: 'a' }, 'default/b'];
      await new Promise<never>(() => {});
    });
    await world.runtime.settle();
    expect(runs).to.have.length(2);
    expect(one.inspect().external[0]).to.include({ state: 'running', events: 1 });
    await world.runtime.run(one.close());
    expect(one.inspect().external[0]?.state).to.equal('ended');
  });

  it('is started again after a failure, if it is a function', async () => {
    let starts = 0;
    const one = await startWith(async ({ emit, signal }) => {
      starts += 1;
      if (starts < 3) throw new Error('the broker is away');
      emit('default/b');
      await sleep(world.runtime, 1_000_000, { signal });
    });
    expect(one.inspect().external[0]).to.include({ state: 'waiting', failures: 1 });
    await world.runtime.advance(10_000);
    expect(starts).to.equal(3);
    expect(runs).to.deep.equal(['default/b: external (payments)']);
    expect(world.log).to.have.length(1);
    expect(world.log[0]).to.match(
      /^error: source failed: the broker is away \(controller=configmaps source=payments next="it is started again in \d+ ms" failures=1\)$/,
    );
  });

  it('that is an iterable brings nothing more after a failure', async () => {
    const failing: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: async () => Promise.reject(new Error('broken')) }),
    };
    const one = await startWith(failing);
    expect(one.inspect().external[0]).to.include({ state: 'ended', lastError: 'broken' });
    expect(world.log[0]).to.match(/broken .*next="it brings nothing more; pass a function/);
  });

  it('may name garbage, which is counted and logged once, and what has no object', async () => {
    const emitted = [7, 'a/b/c', '', null, {}, 'default/none', 'default/a'];
    const one = await startWith(({ emit }) => {
      for (const target of emitted) emit(target as string);
    });
    expect(one.inspect().external[0]).to.include({ events: 7, failures: 5 });
    expect(world.log).to.deep.equal([
      'error: source brought no key: it emitted a number: emit "namespace/name", { namespace, name }, an array of them, or undefined (controller=configmaps source=payments failures=1)',
    ]);
    expect(one.inspect().history.map(({ key }) => key)).to.include('default/none');
  });

  it('has a name of its own', () => {
    const source = (): void => {};
    const builder = controller(world.client, 'v1', 'configmaps', world.options);
    expect(() => builder.triggeredBy('x', source).triggeredBy('x', source)).to.throw(/own/);
  });

  it('that always has a next value does not keep others from their turn', async () => {
    let values = 0;
    let others: number | undefined;
    await startWith(async function* () {
      world.runtime.queueTask(() => {
        others = values;
      });
      for (; values < 10_000; values += 1) yield 'default/a';
    });
    await world.runtime.settle();
    expect(values).to.equal(10_000);
    // The last of a hundred is counted here when the next one is asked for.
    expect(others).to.be.below(100);
  });
});
