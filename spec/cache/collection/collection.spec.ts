import { expect } from 'chai';
import type { ListerWatcher } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { KnownValueOf } from '../../../lib/meta/json/known-values.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { BytesSource } from '../support/bytes-source.ts';
import { Harness } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

type Source = ListerWatcher<ObjectView<Pod>>;

/** Passes `use` the known values that the watches of an informer offer; the informer runs meanwhile. */
async function withSource(
  options: { readonly freeze?: boolean; readonly keyFunc?: () => string },
  use: (given: readonly KnownValueOf[], world: Harness) => Promise<void>,
): Promise<void> {
  const world = new Harness({ objects: [pod('a', { nodeName: 'node-1' }), pod('other/b')] });
  const { runtime } = world;
  const bytes = new BytesSource<Pod>(world.source);
  const given: KnownValueOf[] = [];
  const listerWatcher: Source = {
    description: 'pods',
    supports: { watchList: false },
    list: (request) => bytes.list(request),
    watch: (request) => {
      if (request.cache !== undefined) given.push(request.cache.knownValueOf);
      return bytes.watch(request);
    },
  };
  const informer = new SharedIndexInformer<Pod>({ listerWatcher, runtime, ...options });
  const running = informer.run();
  await runtime.run(informer.whenSynced());
  await runtime.settle();
  await use(given, world);
  await runtime.run(informer.close());
  await running;
}

describe('Collection', () => {
  for (const freeze of [false, true]) {
    it(`gives its source once what is stored of ${freeze ? 'frozen ' : ''}objects`, async () => {
      await withSource({ freeze }, async (given, { source, runtime }) => {
        const [knownValueOf, ...others] = given as [KnownValueOf, ...KnownValueOf[]];
        expect(others).to.deep.equal([]);
        const textOf = (name: string, namespace?: string): string | undefined => {
          const known = knownValueOf(name, namespace);
          return known?.bytes.toString('utf8', known.start, known.end);
        };
        expect(textOf('a', 'shop')).to.equal('{"nodeName":"node-1"}');
        expect(textOf('b', 'other')).to.equal(undefined);
        expect(textOf('a', 'other')).to.equal(undefined);
        expect(textOf('a')).to.equal(undefined);
        source.modify(pod('a', { nodeName: 'node-22' }));
        await runtime.settle();
        expect(textOf('a', 'shop')).to.equal('{"nodeName":"node-22"}');
      });
    });
  }

  it('gives it nothing when keys are not made of names', async () => {
    await withSource({ keyFunc: () => 'one' }, async (given) => {
      expect(given).to.deep.equal([]);
    });
  });

  it('takes views that lie in the cache of another informer, and leaves them there', async () => {
    const world = new Harness({ objects: [pod('a', { nodeName: 'node-1' }), pod('b')] });
    const { runtime, source } = world;
    const listed = new BytesSource<Pod>(source).list({});
    const listerWatcher: Source = {
      description: 'the same page for all',
      list: () => listed,
      watch: (request) => source.watch(request),
    };
    const informers = [false, true].map(
      (freeze) =>
        new SharedIndexInformer<Pod>({ listerWatcher, runtime, freeze, watchList: false }),
    ) as [SharedIndexInformer<Pod>, SharedIndexInformer<Pod>];
    const running = informers.map((informer) => informer.run());
    for (const informer of informers) await runtime.run(informer.whenSynced());
    await runtime.settle();
    const [first, second] = informers;
    expect(second.indexer.list()).to.deep.equal(first.indexer.list());
    const before = second.indexer.get('shop/a');
    for (const name of ['a', 'b']) source.delete({ namespace: 'shop', name });
    source.add(pod('c'));
    await runtime.settle();
    for (const informer of informers) {
      expect(informer.indexer.keys()).to.deep.equal(['shop/c']);
      const { liveBytes, slabBytes } = informer.inspect().memory;
      expect(liveBytes).to.be.at.most(slabBytes);
      await runtime.run(informer.close());
    }
    expect(before?.spec).to.deep.equal({ nodeName: 'node-1' });
    await Promise.all(running);
  });
});
