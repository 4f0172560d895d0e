import { expect } from 'chai';
import { filledFrom, fillsFrom } from '../../../../lib/cache/informer/collection/filled-caches.ts';
import { SharedIndexInformer } from '../../../../lib/cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../../lib/testing/scripted-lister-watcher.ts';
import { FakeCache } from '../../../recorder/support/fake-cache.ts';
import { pod, type Pod } from '../../support/objects.ts';

describe('the cache that a source fills', () => {
  it('is known while there is one, and not while there are two', () => {
    const source = {};
    const [one, two] = [new FakeCache(), new FakeCache()];
    const first = fillsFrom(source, one);
    expect(filledFrom(source)).to.equal(one);
    const second = fillsFrom(source, two);
    expect(filledFrom(source)).to.equal(undefined);
    first[Symbol.dispose]();
    expect(filledFrom(source)).to.equal(two);
    second[Symbol.dispose]();
    expect(filledFrom(source)).to.equal(undefined);
  });

  it('is that of an informer while it runs', async () => {
    const runtime = new VirtualRuntime();
    const listerWatcher = new ScriptedListerWatcher<Pod>({ runtime, objects: [pod('one')] });
    const options = { listerWatcher, runtime, logger: silentLogger };
    const informer = new SharedIndexInformer<Pod>(options);
    expect(filledFrom(listerWatcher)).to.equal(undefined);
    const running = informer.run();
    await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
    const cache = filledFrom(listerWatcher);
    expect(cache?.keys()).to.deep.equal(['shop/one']);
    expect([cache?.backlog, cache?.has('0'), cache?.has('5')]).to.deep.equal([0, true, false]);
    await runtime.run(informer.close());
    await running;
    expect(filledFrom(listerWatcher)).to.equal(undefined);
    expect(cache?.stopped.aborted).to.equal(true);
    expect(cache?.list(), 'objects stay readable').to.have.length(1);
  });

  it('is not told of an informer with keys of its own, nor of the source of several namespaces', async () => {
    const runtime = new VirtualRuntime();
    const inShop = new ScriptedListerWatcher<Pod>({ runtime, objects: [pod('one')] });
    const inWeb = new ScriptedListerWatcher<Pod>({ runtime });
    const all = Object.assign(new ScriptedListerWatcher<Pod>({ runtime }), {
      inNamespace: (namespace: string) => (namespace === 'shop' ? inShop : inWeb),
    });
    const informers = [
      new SharedIndexInformer<Pod>({
        listerWatcher: inWeb,
        keyFunc: ({ metadata }) => metadata?.name ?? '',
        runtime,
        logger: silentLogger,
      }),
      new SharedIndexInformer<Pod>({
        listerWatcher: all,
        namespaces: ['shop', 'void'],
        runtime,
        logger: silentLogger,
      }),
    ];
    const running = informers.map((informer) => informer.run());
    for (const informer of informers) await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
    expect(filledFrom(all)).to.equal(undefined);
    expect(filledFrom(inShop)?.keys()).to.deep.equal(['shop/one']);
    // Of the two that read it, the one with keys of its own is not told of.
    const ofVoid = filledFrom(inWeb);
    expect(ofVoid?.keys()).to.deep.equal([]);
    expect(ofVoid?.list()).to.deep.equal([]);
    expect(ofVoid?.get('shop/one')).to.equal(undefined);
    expect(ofVoid?.deferReleases(() => {})).to.equal(undefined);
    for (const informer of informers) await runtime.run(informer.close());
    await Promise.all(running);
  });
});
