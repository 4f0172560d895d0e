import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type { CacheCondition } from '../../../lib/cache/wait/until-cached.ts';
import { until } from '../../../lib/cache/wait/until.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { metadataIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { expired } from '../../../lib/meta/failure/failures.ts';
import { CountingSource } from '../support/counting-source.ts';
import { Harness, type HarnessOptions } from '../support/informer-harness.ts';
import { pod, rejection, type Pod } from '../support/objects.ts';

const onNode = (nodeName: string) => (object: Pod) => object.spec?.nodeName === nodeName;

async function started(options: HarnessOptions = {}): Promise<Harness> {
  const harness = new Harness({ objects: [pod('a'), pod('b', { nodeName: 'n1' })], ...options });
  await harness.start();
  return harness;
}

/** Whether a promise has settled by now. */
function watched<R>(work: Promise<R>): { settled: boolean; readonly work: Promise<R> } {
  const state = { settled: false, work };
  const mark = (): void => {
    state.settled = true;
  };
  work.then(mark, mark);
  return state;
}

describe('until, on an informer', () => {
  it('resolves with an object that is as it should be already', async () => {
    const harness = await started();
    const { informer, runtime } = harness;
    const object = await runtime.run(until(informer, { name: 'b', is: onNode('n1') }));
    expect(object.metadata.resourceVersion).to.equal('2');
    expect(informer.inspect().handlers).to.deep.equal([]);
    await harness.stop();
  });

  it('resolves when a change makes it so', async () => {
    const harness = await started();
    const wait = watched(
      until(harness.informer, { name: 'a', namespace: 'shop', is: onNode('n2') }),
    );
    harness.source.modify(pod('a', { nodeName: 'n1' }));
    harness.source.add(pod('other/a', { nodeName: 'n2' }));
    await harness.settle();
    expect(wait.settled).to.equal(false);
    harness.source.modify(pod('a', { nodeName: 'n2' }));
    const object = await harness.runtime.run(wait.work);
    expect(object.spec?.nodeName).to.equal('n2');
    await harness.stop();
  });

  it('sees every state of the object, also one that has passed when its turn comes', async () => {
    const harness = await started();
    const wait = until(harness.informer, { key: 'shop/a', is: onNode('passing') });
    await harness.settle();
    for (const nodeName of ['before', 'passing', 'after']) {
      harness.source.modify(pod('a', { nodeName }));
    }
    const object = await harness.runtime.run(wait);
    expect(object.spec?.nodeName).to.equal('passing');
    expect(harness.informer.indexer.get('shop/a')?.spec?.nodeName).to.equal('after');
    await harness.stop();
  });

  it('waits for an object to exist when nothing more is said', async () => {
    const harness = await started();
    const wait = watched(until(harness.informer, { name: 'c' }));
    await harness.settle();
    expect(wait.settled).to.equal(false);
    harness.source.add(pod('c'));
    expect((await harness.runtime.run(wait.work)).metadata.name).to.equal('c');
    await harness.stop();
  });

  it('finds a name in whichever namespace, and objects that have none', async () => {
    const harness = await started({ objects: [pod('left/x'), { metadata: { name: 'node-1' } }] });
    const { informer, runtime } = harness;
    expect((await runtime.run(until(informer, { name: 'x' }))).metadata.namespace).to.equal('left');
    const node = await runtime.run(until(informer, { name: 'node-1', namespace: '' }));
    expect(node.metadata.name).to.equal('node-1');
    await harness.stop();
  });

  it('may be called before the informer is started in the same task, and sees what its first list brings', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const wait = watched(until(harness.informer, { name: 'a' }));
    await Promise.resolve();
    expect(wait.settled).to.equal(false);
    harness.launch();
    expect((await harness.runtime.run(wait.work)).metadata.name).to.equal('a');
    await harness.stop();
  });

  it('knows what type the object is of when the condition says so', async () => {
    interface Scheduled extends Pod {
      readonly spec: { readonly nodeName: string };
    }
    const harness = await started();
    const isScheduled = (object: Pod): object is Scheduled => object.spec?.nodeName !== undefined;
    const scheduled = await harness.runtime.run(
      until(harness.informer, { name: 'b', is: isScheduled }),
    );
    expect(scheduled.spec.nodeName.length).to.equal(2);
    await harness.stop();
  });

  it('decodes no object that is not selected', async () => {
    const objects = Array.from({ length: 500 }, (_, index) => pod(`p${index}`));
    const harness = new Harness({ objects });
    const listerWatcher = new CountingSource<Pod>(harness.source);
    const { runtime } = harness;
    const informer = new SharedIndexInformer<Pod>({ listerWatcher, runtime });
    void informer.run();
    await runtime.run(until(informer, { name: 'p250', is: () => true }));
    expect(listerWatcher.decoded).to.equal(1);
    await runtime.run(informer.close());
  });

  describe('with gone', () => {
    it('resolves at once for a missing object, but not before the first list', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const wait = watched(until(harness.informer, { name: 'x', gone: true }));
      await Promise.resolve();
      expect(wait.settled).to.equal(false);
      harness.launch();
      expect(await harness.runtime.run(wait.work)).to.equal(undefined);
      await harness.stop();
    });

    it('resolves when the object is deleted, even if it comes back at once', async () => {
      const harness = await started();
      const wait = watched(until(harness.informer, { name: 'a', gone: true }));
      harness.source.modify(pod('a', { labels: { x: 'y' } }));
      await harness.settle();
      expect(wait.settled).to.equal(false);
      harness.source.delete({ namespace: 'shop', name: 'a' });
      harness.source.add(pod('a'));
      await harness.runtime.run(wait.work);
      await harness.stop();
    });

    it('waits for all objects of the name to go', async () => {
      const harness = await started({ objects: [pod('left/x'), pod('right/x')] });
      const wait = watched(until(harness.informer, { name: 'x', gone: true }));
      harness.source.delete({ namespace: 'left', name: 'x' });
      await harness.settle();
      expect(wait.settled).to.equal(false);
      harness.source.delete({ namespace: 'right', name: 'x' });
      await harness.runtime.run(wait.work);
      await harness.stop();
    });

    it('notices a deletion that was missed', async () => {
      const harness = await started();
      const wait = until(harness.informer, { name: 'a', gone: true });
      await harness.settle();
      await harness.relist(() => {
        harness.source.delete({ namespace: 'shop', name: 'a' });
      });
      await wait;
      await harness.stop();
    });
  });

  describe('with when', () => {
    it('asks about the cache as a whole, never before its first list', async () => {
      const indexers = { byApp: metadataIndexFunc(({ labels }) => [labels?.['app'] ?? '']) };
      const harness = new Harness({ objects: [pod('a')], indexers });
      const sizes: number[] = [];
      const wait = watched(
        until(harness.informer, {
          when: (cache) => {
            sizes.push(cache.size);
            return cache.byIndex('byApp', 'web').length === 2;
          },
        }),
      );
      await harness.start();
      harness.source.add(pod('b', { labels: { app: 'web' } }));
      await harness.settle();
      expect(wait.settled).to.equal(false);
      harness.source.add(pod('c', { labels: { app: 'web' } }));
      await harness.runtime.run(wait.work);
      expect(sizes).to.deep.equal([1, 2, 3]);
      await harness.stop();
    });

    it('asks once about a burst of changes', async () => {
      const harness = await started();
      let asked = 0;
      const wait = until(harness.informer, {
        when: ({ size }) => {
          asked += 1;
          return size === 1002;
        },
      });
      await harness.settle();
      for (let index = 0; index < 1000; index += 1) harness.source.add(pod(`p${index}`));
      await harness.runtime.run(wait);
      expect(asked).to.be.at.most(5);
      await harness.stop();
    });
  });

  describe('fails', () => {
    it('at its deadline, naming three objects and counting the others', async () => {
      const objects = ['a', 'b', 'c'].map((namespace) => pod(`${namespace}/x`));
      const harness = await started({ objects });
      const places = async (): Promise<string> => {
        const wait = until(harness.informer, { name: 'x', gone: true, timeoutMs: 5000 });
        return (await rejection(harness.runtime.run(wait))).message.replace(/^.*; /, '');
      };
      const three = ['a', 'b', 'c'].map(
        (namespace) => `${namespace}/x at resource version \\d+, and not being deleted`,
      );
      expect(await places()).to.match(new RegExp(`^there is ${three.join(', ')}$`));
      harness.source.add(pod('d/x'));
      await harness.settle();
      expect(await places()).to.match(/ deleted and 1 more$/);
      await harness.stop();
    });

    it('at its deadline, saying what is missing and how things stand', async () => {
      const harness = await started();
      const { informer, runtime } = harness;
      const failing = async (condition: CacheCondition<Pod>): Promise<string> => {
        const error = await rejection(
          runtime.run(until(informer, { ...condition, timeoutMs: 5000 })),
        );
        expect(error.code).to.equal('TIMEOUT');
        expect(informer.inspect().handlers).to.deep.equal([]);
        return error.message;
      };
      expect(await failing({ name: 'b', is: (object) => object.spec?.nodeName === 'n9' })).to.match(
        /^gave up after 5000 ms waiting for "b" of pods to satisfy \(?object\)? ?=> ?object\.spec\?\.nodeName ?=== ?.n9.; there is shop\/b at resource version 2$/,
      );
      expect(await failing({ name: 'x', namespace: 'shop' })).to.equal(
        'gave up after 5000 ms waiting for "x" in namespace "shop" of pods to exist; it is not there',
      );
      expect(await failing({ key: 'shop/a', gone: true })).to.equal(
        'gave up after 5000 ms waiting for "shop/a" of pods to be gone; there is shop/a at resource version 1, and not being deleted',
      );
      expect(await failing({ when: ({ size }) => size === 0 })).to.match(
        /the cache of pods to satisfy .*size ?=== ?0; it has 2 objects at resource version 2$/,
      );
      await harness.stop();
    });

    it('at its deadline with the reason why there is no list', async () => {
      const harness = new Harness();
      const wait = (): Promise<Error> =>
        rejection(harness.runtime.run(until(harness.informer, { name: 'a', timeoutMs: 1000 })));
      expect(await wait())
        .to.include({ code: 'NOT_STARTED' })
        .with.property('message')
        .that.includes('which has not been started');
      expect(harness.runtime.monotonicMs()).to.equal(0);
      harness.source.failNext('watch-list', expired('too old'), 100);
      harness.source.failNext('list', new Error('the disk is full'), 100);
      harness.launch();
      expect((await wait()).message).to.include('the disk is full');
      await harness.stop();
    });

    it('when the informer stops, before or after its first list, or has stopped', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const early = rejection(until(harness.informer, { name: 'x' }));
      await harness.runtime.run(harness.informer.close());
      expect((await early).code).to.equal('CLOSED');
      const none = await rejection(until(harness.informer, { name: 'x' }));
      expect(none.code).to.equal('CLOSED');

      const other = await started();
      const late = rejection(until(other.informer, { name: 'x' }));
      await other.settle();
      await other.stop();
      const error = await late;
      expect(error.code).to.equal('CLOSED');
      expect(error.message).to.include('stopped during a wait for "x" of pods to exist');
    });

    it('with the error of the condition, and calls no hook of the informer', async () => {
      const harness = await started();
      const oops = new Error('oops');
      const throwing = (): never => {
        throw oops;
      };
      for (const condition of [{ name: 'a', is: throwing }, { when: throwing }]) {
        const error = await rejection(harness.runtime.run(until(harness.informer, condition)));
        expect(error).to.equal(oops);
      }
      expect(harness.errors).to.deep.equal([]);
      await harness.stop();
    });

    it('on a condition that gives back a promise, which would pass for true', async () => {
      const harness = await started();
      const later = (async () => false) as unknown as () => boolean;
      const error = await rejection(
        harness.runtime.run(until(harness.informer, { name: 'a', is: later })),
      );
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.include('must be synchronous');
      await harness.stop();
    });

    it('with the reason of the signal, aborted before or meanwhile', async () => {
      const harness = await started();
      const stopper = new AbortController();
      const { signal } = stopper;
      const wait = rejection(until(harness.informer, { name: 'x', signal }));
      await harness.settle();
      const reason = new Error('enough');
      stopper.abort(reason);
      expect(await wait).to.equal(reason);
      expect(await rejection(until(harness.informer, { name: 'a', signal }))).to.equal(reason);
      expect(harness.informer.inspect().handlers).to.deep.equal([]);
      expect(getEventListeners(signal, 'abort')).to.have.length(0);
      await harness.stop();
    });

    it('on a condition that makes no sense', async () => {
      const harness = await started();
      const nonsense: readonly object[] = [
        {},
        { name: 'a', key: 'shop/a' },
        { name: 'a', when: () => true },
        { name: '' },
        { name: 5 },
        { key: 'shop/a', namespace: 'shop' },
        { name: 'a', is: 'Running' },
        { name: 'a', gone: false },
        { name: 'a', gone: true, is: () => true },
        { name: 'a', iss: () => true },
        { name: 'a', timeoutMs: -1 },
      ];
      for (const condition of nonsense) {
        const error = await rejection(until(harness.informer, condition as { name: string }));
        expect(error.code, JSON.stringify(condition)).to.equal('INVALID_OPTION');
      }
      const call = until as unknown as (informer: unknown, condition?: unknown) => Promise<unknown>;
      expect((await rejection(call(harness.informer))).code).to.equal('INVALID_OPTION');
      await harness.stop();
    });
  });

  it('leaves a hundred waits at once without a trace', async () => {
    const harness = await started();
    const { informer, runtime } = harness;
    const waits = Array.from({ length: 100 }, (_, index) => until(informer, { name: `p${index}` }));
    await harness.settle();
    for (let index = 0; index < 100; index += 1) harness.source.add(pod(`p${index}`));
    const found = await runtime.run(Promise.all(waits));
    expect(found.map(({ metadata }) => metadata.name)).to.deep.equal(
      waits.map((_, index) => `p${index}`),
    );
    expect(informer.inspect().handlers).to.deep.equal([]);
    expect(informer.events.listenerCount('stopped')).to.equal(0);
    await harness.stop();
  });
});
