import { expect } from 'chai';
import { metadataIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { StoreLister } from '../../../lib/cache/store/lister.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { codeOf, pod, rejection, type Pod } from '../support/objects.ts';
import { at, byNode, overlayFixture } from './overlay-support.ts';

function names(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.name!).toSorted();
}

describe('WriteOverlay, read', () => {
  it('gives the own arrays of the store while nothing is laid over', () => {
    const { overlay, store, event } = overlayFixture();
    event(at(1));
    expect(overlay.list()).to.equal(store.list());
    expect(overlay.byIndex('byNode', 'n1')).to.equal(store.byIndex('byNode', 'n1'));
    expect(overlay.index('byNode', at(1))).to.equal(store.index('byNode', at(1)));
    expect(overlay.keys()).to.deep.equal(['shop/a']);
    expect(overlay.indexKeys('byNode', 'n1')).to.deep.equal(['shop/a']);
    expect(overlay.indexValues('byNode')).to.deep.equal(['n1']);
    expect(overlay.indexNames).to.deep.equal(['byNode']);
    expect(overlay.resourceVersion).to.equal('1');
  });

  it('files a written object under its own index values, not under those of the one it hides', () => {
    const { overlay, event } = overlayFixture();
    event(at(1));
    event(pod('b', { uid: 'u2', resourceVersion: '2', nodeName: 'n1' }));
    overlay.written(at(5, 'u1', 'n2'));
    expect(names(overlay.byIndex('byNode', 'n1'))).to.deep.equal(['b']);
    expect(names(overlay.byIndex('byNode', 'n2'))).to.deep.equal(['a']);
    expect(names(overlay.index('byNode', pod('x', { nodeName: 'n2' })))).to.deep.equal(['a']);
    expect(overlay.indexKeys('byNode', 'n1')).to.deep.equal(['shop/b']);
    expect(overlay.indexKeys('byNode', 'n2')).to.deep.equal(['shop/a']);
    expect(overlay.indexValues('byNode').toSorted()).to.deep.equal(['n1', 'n2']);
    expect(overlay.size).to.equal(2);
    overlay.deleted({ key: 'shop/b' });
    expect(overlay.indexValues('byNode')).to.deep.equal(['n2']);
    expect(overlay.byIndex('byNode', 'n1')).to.deep.equal([]);
    expect(overlay.keys()).to.deep.equal(['shop/a']);
    expect(names(overlay.list())).to.deep.equal(['a']);
    expect(overlay.size).to.equal(1);
  });

  it('finds nothing by index that was written and then deleted, by any client', () => {
    const { overlay, event } = overlayFixture();
    event(at(1));
    overlay.written(at(5, 'u1', 'n2'));
    event(at(6, 'u1', 'n2'), true);
    for (const node of ['n1', 'n2']) expect(overlay.byIndex('byNode', node)).to.deep.equal([]);
    overlay.written(at(8, 'u2', 'n2'));
    overlay.deleted({ key: 'shop/a', uid: 'u2' });
    for (const node of ['n1', 'n2']) expect(overlay.byIndex('byNode', node)).to.deep.equal([]);
    expect(overlay.indexValues('byNode')).to.deep.equal([]);
  });

  it('keeps keys in order in indexKeys, and each once', () => {
    const { overlay, event } = overlayFixture();
    for (const name of ['a', 'c']) event(pod(name, { resourceVersion: '1', nodeName: 'n1' }));
    overlay.written(pod('b', { resourceVersion: '2', nodeName: 'n1' }));
    overlay.written(pod('c', { resourceVersion: '3', nodeName: 'n1' }));
    expect(overlay.indexKeys('byNode', 'n1')).to.deep.equal(['shop/a', 'shop/b', 'shop/c']);
    expect(overlay.keys().toSorted()).to.deep.equal(['shop/a', 'shop/b', 'shop/c']);
  });

  it('gives the same frozen array until store or overlay change', () => {
    const { overlay, event, store } = overlayFixture();
    event(at(1));
    event(pod('b', { resourceVersion: '2', nodeName: 'n2' }));
    overlay.written(at(5));
    const [list, bucket] = [overlay.list(), overlay.byIndex('byNode', 'n1')];
    expect(overlay.list()).to.equal(list);
    expect(overlay.byIndex('byNode', 'n1')).to.equal(bucket);
    expect(Object.isFrozen(list)).to.equal(true);
    expect(overlay.byIndex('byNode', 'n2')).to.equal(store.byIndex('byNode', 'n2'));
    event(pod('c', { resourceVersion: '3', nodeName: 'n1' }));
    expect(names(overlay.byIndex('byNode', 'n1'))).to.deep.equal(['a', 'c']);
    overlay.written(at(6));
    expect(overlay.list()).not.to.equal(list);
    expect(names(overlay.list())).to.deep.equal(['a', 'b', 'c']);
  });

  it('takes any string for a key or an index value', () => {
    const { overlay, event } = overlayFixture();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      event(pod(`/${name}`, { uid: name, resourceVersion: '1', nodeName: name }));
      overlay.written(pod(`/${name}`, { uid: name, resourceVersion: '9', nodeName: name }));
      expect(overlay.get(name)?.metadata.resourceVersion).to.equal('9');
      expect(names(overlay.byIndex('byNode', name))).to.deep.equal([name]);
      overlay.deleted({ key: name });
      expect(overlay.has(name)).to.equal(false);
    }
    expect(overlay.get('hasOwnProperty')).to.equal(undefined);
    expect(overlay.size).to.equal(0);
  });

  it('adds and removes indexes of both layers, all or none', () => {
    const { overlay, event } = overlayFixture();
    event(at(1));
    overlay.written(pod('b', { resourceVersion: '2', nodeName: 'n2', labels: { app: 'web' } }));
    const byApp = metadataIndexFunc(({ labels }) => Object.values(labels ?? {}));
    overlay.addIndexers({ byApp });
    expect(names(overlay.byIndex('byApp', 'web'))).to.deep.equal(['b']);
    expect(codeOf(() => overlay.addIndexers({ byApp }))).to.equal('INDEX_CONFLICT');
    overlay.removeIndexers(['byNode']);
    expect(codeOf(() => overlay.byIndex('byNode', 'n1'))).to.equal('UNKNOWN_INDEX');
    expect(codeOf(() => overlay.removeIndexers(['byApp', 'other']))).to.equal('UNKNOWN_INDEX');
    expect(names(overlay.byIndex('byApp', 'web'))).to.deep.equal(['b']);
    overlay.addIndexers({ byNode });
    expect(overlay.indexKeys('byNode', 'n2')).to.deep.equal(['shop/b']);
  });

  it('serves listers, by labels and namespace', () => {
    const { overlay, event } = overlayFixture();
    const subject = { group: '', resource: 'pods' };
    const lister = new StoreLister({
      store: overlay,
      opener: { one: (stored: Pod) => stored, many: (stored: readonly Pod[]) => stored },
      subject,
    });
    event(pod('a', { uid: 'u1', resourceVersion: '1', labels: { app: 'web' } }));
    overlay.written(pod('a', { uid: 'u1', resourceVersion: '2', labels: { app: 'db' } }));
    overlay.written(pod('other/b', { uid: 'u2', resourceVersion: '3', labels: { app: 'web' } }));
    expect(names(lister.list({ labels: 'app=web' }))).to.deep.equal(['b']);
    expect(names(lister.namespace('shop').list())).to.deep.equal(['a']);
    expect(lister.namespace('other').get('b')?.metadata.resourceVersion).to.equal('3');
  });
});

describe('WriteOverlay', () => {
  describe('own writes', () => {
    it('are known by key and equal resource version, also when their event was faster', () => {
      const { overlay, event } = overlayFixture();
      overlay.written(at(5));
      expect(overlay.isOwn('shop/a', '5')).to.equal(true);
      expect(overlay.isOwn('shop/a', '4')).to.equal(false);
      expect(overlay.isOwn('shop/b', '5')).to.equal(false);
      event(at(9));
      overlay.written(at(7));
      expect(overlay.isOwn('shop/a', '7')).to.equal(true);
      overlay.written(at(9));
      expect(overlay.isOwn('shop/a', '9'), 'a write that changed nothing').to.equal(false);
    });

    it('are remembered in a bounded number', () => {
      const { overlay } = overlayFixture({ capacity: 10 });
      for (let version = 1; version <= 1000; version += 1) overlay.written(at(version));
      const own = (version: number): boolean => overlay.isOwn('shop/a', String(version));
      for (let version = 991; version <= 1000; version += 1) expect(own(version)).to.equal(true);
      const remembered = Array.from({ length: 1000 }, (_, index) => own(index + 1));
      expect(remembered.filter(Boolean)).to.have.length.within(10, 20);
    });

    it('include deletions, by uid, and by resource version where there is none', () => {
      const { overlay, event } = overlayFixture();
      event(at(1));
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      expect(overlay.isOwnDeletion('shop/a', 'u1')).to.equal(true);
      expect(overlay.isOwnDeletion('shop/a', 'u2')).to.equal(false);
      overlay.deleted(pod('b', { uid: 'u9', resourceVersion: '12' }));
      expect(overlay.isOwnDeletion('shop/b', 'u9')).to.equal(true);
      expect(overlay.isOwn('shop/b', '12'), 'the last state, on some servers').to.equal(false);
      overlay.deleted(pod('c', { resourceVersion: '13' }));
      expect(overlay.isOwn('shop/c', '13')).to.equal(true);
    });
  });

  it('lets the oldest write go beyond its capacity, counts it, and says so once', () => {
    const { overlay, errors } = overlayFixture({ capacity: 3 });
    for (let version = 1; version <= 6; version += 1) {
      overlay.written(pod(`p${version}`, { resourceVersion: String(version) }));
    }
    expect(names(overlay.list())).to.deep.equal(['p4', 'p5', 'p6']);
    expect(overlay.inspect()).to.include({ pending: 3, dropped: 3 });
    expect(errors.map((error) => (error as { code: string }).code)).to.deep.equal(['BUFFER_FULL']);
    overlay.processed('10');
    for (let version = 11; version <= 15; version += 1) {
      overlay.written(pod(`p${version}`, { resourceVersion: String(version) }));
    }
    expect(errors).to.have.length(2);
  });

  it('leaves out what cannot be ordered, and counts it', () => {
    const { overlay, event } = overlayFixture();
    event(pod('a', { uid: 'u1', resourceVersion: 'abc' }));
    overlay.written(pod('a', { uid: 'u1', resourceVersion: 'abd' }));
    overlay.written(pod('b'));
    expect(overlay.get('shop/a')?.metadata.resourceVersion).to.equal('abc');
    expect(overlay.inspect()).to.include({ pending: 0, unordered: 3, processed: '' });
    expect(overlay.isOwn('shop/a', 'abd')).to.equal(true);
    overlay.deleted({ key: 'shop/a' });
    expect(overlay.has('shop/a')).to.equal(false);
    event(pod('a', { uid: 'u1', resourceVersion: 'abe' }), true);
    expect(overlay.inspect().pending).to.equal(0);
  });

  it('shows what came after a deleted object also where resource versions have no order', () => {
    const { overlay, event } = overlayFixture();
    event(pod('a', { uid: 'u1', resourceVersion: 'abc' }));
    overlay.deleted({ key: 'shop/a', uid: 'u1' });
    expect(overlay.get('shop/a')).to.equal(undefined);
    const next = pod('a', { uid: 'u2', resourceVersion: 'abb' });
    event(next);
    expect(overlay.get('shop/a')).to.equal(next);
    expect(overlay.list()).to.deep.equal([next]);
    expect(overlay.keys()).to.deep.equal(['shop/a']);
  });

  it('reports what is wrong with a write, and otherwise throws it', () => {
    const matches = (): boolean => {
      throw new Error('bad selector');
    };
    const nameless: Pod = { metadata: { resourceVersion: '1' } };
    const reporting = overlayFixture({ matches });
    reporting.overlay.written(at(1));
    reporting.overlay.written(nameless);
    reporting.overlay.deleted(nameless);
    expect(reporting.errors.map((error) => (error as Error).message)).to.have.length(3);
    expect(reporting.overlay.size).to.equal(0);
    const throwing = new WriteOverlay<Pod>({ store: new ThreadSafeStore<Pod>() });
    expect(codeOf(() => throwing.written(nameless))).to.equal('KEY');
  });

  it('shows a written object without a value in an index that fails on it, and reports it', () => {
    const store = new ThreadSafeStore<Pod>({
      indexers: { strict: ({ spec }) => [spec!.nodeName!] },
      onError: () => {},
    });
    const errors: unknown[] = [];
    const overlay = new WriteOverlay<Pod>({ store, onError: (error) => errors.push(error) });
    overlay.written(pod('a', { resourceVersion: '5' }));
    expect(names(overlay.list())).to.deep.equal(['a']);
    expect(overlay.indexValues('strict')).to.deep.equal([]);
    expect(errors.map((error) => (error as { code: string }).code)).to.deep.equal([
      'INDEX_FUNCTION',
    ]);
  });

  it('shows the store as it is once the overlay was cleared', () => {
    const { overlay, event } = overlayFixture();
    event(at(1));
    overlay.written(at(5));
    overlay.clear();
    expect(overlay.get('shop/a')?.metadata.resourceVersion).to.equal('1');
    expect(overlay.isOwn('shop/a', '5')).to.equal(false);
  });

  it('refuses an invalid capacity', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN]) {
      expect(codeOf(() => overlayFixture({ capacity }))).to.equal('INVALID_OPTION');
    }
  });

  describe('caughtUp', () => {
    it('resolves as soon as the cache has processed the resource version', async () => {
      const { overlay } = overlayFixture();
      const reached: string[] = [];
      const waits = ['7', '5', '6'].map(async (version) => {
        await overlay.caughtUp(version);
        reached.push(version);
      });
      overlay.processed('4');
      overlay.processed('6');
      await Promise.all(waits.slice(1));
      expect(reached.toSorted()).to.deep.equal(['5', '6']);
      overlay.replaced('9');
      await Promise.all(waits);
      await overlay.caughtUp('9', { signal: AbortSignal.abort() });
    });

    it('says at its deadline where the cache is', async () => {
      const runtime = new VirtualRuntime();
      const { overlay } = overlayFixture({ runtime });
      const wait = (): Promise<unknown> => rejection(overlay.caughtUp('7', { timeoutMs: 50 }));
      const first = await runtime.run(wait);
      expect(first).to.include({ code: 'TIMEOUT' });
      expect((first as Error).message).to.equal(
        'gave up after 50 ms waiting for the cache to reach resource version 7; it has seen nothing yet',
      );
      overlay.processed('6');
      expect(((await runtime.run(wait)) as Error).message).to.include('it is at 6');
      expect(runtime.pending).to.equal(0);
    });

    it('ends with the signal, with the cache, and at once for an invalid resource version', async () => {
      const { overlay } = overlayFixture();
      const stop = new AbortController();
      const aborted = rejection(overlay.caughtUp('7', { signal: stop.signal }));
      const closed = rejection(overlay.caughtUp('7'));
      stop.abort(new Error('enough'));
      expect((await aborted).message).to.equal('enough');
      overlay.destroy();
      expect(await closed).to.include({ code: 'CLOSED' });
      expect(await rejection(overlay.caughtUp('7'))).to.include({ code: 'CLOSED' });
      expect(await rejection(overlay.caughtUp('x'))).to.include({
        code: 'INVALID_RESOURCE_VERSION',
      });
    });
  });
});
