import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { ListerWatcher } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../../../lib/cache/reflector/contract/received-objects.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod, type Pod } from '../support/objects.ts';

/** A source that notes the caches in its requests. */
class NotingSource implements ListerWatcher<ObjectView<Pod>> {
  readonly description = 'pods';
  readonly caches: Set<ReceivedObjects | undefined> = new Set();
  readonly #source: ListerWatcher<ObjectView<Pod>>;

  constructor(runtime: VirtualRuntime, objects: readonly Pod[] = []) {
    this.#source = new ScriptedListerWatcher<Pod>({ runtime, objects });
  }

  list(
    ...[request, onItems]: Parameters<ListerWatcher<ObjectView<Pod>>['list']>
  ): ReturnType<ListerWatcher<ObjectView<Pod>>['list']> {
    this.caches.add(request.cache);
    return this.#source.list(request, onItems);
  }

  watch(
    request: Parameters<ListerWatcher<ObjectView<Pod>>['watch']>[0],
  ): ReturnType<ListerWatcher<ObjectView<Pod>>['watch']> {
    this.caches.add(request.cache);
    return this.#source.watch(request);
  }
}

describe('the cache in the requests of an informer', () => {
  it('is one, with what was received, and stops with the informer', async () => {
    const runtime = new VirtualRuntime();
    const listerWatcher = new NotingSource(runtime, [pod('one')]);
    const options = { listerWatcher, runtime, logger: silentLogger, watchList: false };
    const informer = new SharedIndexInformer<Pod>(options);
    const running = informer.run();
    await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
    await runtime.settle();
    const [cache, ...others] = listerWatcher.caches;
    expect(others).to.deep.equal([]);
    expect(cache?.keys()).to.deep.equal(['shop/one']);
    expect([cache?.backlog, cache?.has('0'), cache?.has('5')]).to.deep.equal([0, true, false]);
    expect(cache?.stopped.aborted).to.equal(false);
    await runtime.run(informer.close());
    await running;
    expect(cache?.stopped.aborted).to.equal(true);
    expect(cache?.list(), 'objects stay readable').to.have.length(1);
  });

  it('is missing where keys are not made of names, and is of one namespace for each of several', async () => {
    const runtime = new VirtualRuntime();
    const own = new NotingSource(runtime);
    const inShop = new NotingSource(runtime, [pod('one')]);
    const inVoid = new NotingSource(runtime);
    const shared = { runtime, logger: silentLogger };
    const informers = [
      new SharedIndexInformer<Pod>({
        ...shared,
        listerWatcher: own,
        keyFunc: ({ metadata }) => metadata?.name ?? '',
      }),
      new SharedIndexInformer<Pod>({
        ...shared,
        listerWatcher: new NotingSource(runtime),
        namespaces: ['shop', 'void'],
        inNamespace: (namespace) => (namespace === 'shop' ? inShop : inVoid),
      }),
    ];
    const running = informers.map((informer) => informer.run());
    for (const informer of informers) await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
    expect([...own.caches]).to.deep.equal([undefined]);
    expect([...inShop.caches].map((cache) => cache?.keys())).to.deep.equal([['shop/one']]);
    const [ofVoid] = inVoid.caches;
    expect(ofVoid?.keys()).to.deep.equal([]);
    expect(ofVoid?.list()).to.deep.equal([]);
    expect(ofVoid?.get('shop/one')).to.equal(undefined);
    expect(ofVoid?.deferReleases(() => {})).to.equal(undefined);
    for (const informer of informers) await runtime.run(informer.close());
    await Promise.all(running);
  });
});
