import { expect } from 'chai';
import { ViewOpener } from '../../../lib/cache/memory/view-opener.ts';
import { metaNamespaceIndexFunc, NAMESPACE_INDEX } from '../../../lib/cache/store/indexers.ts';
import { StoreLister, type Lister } from '../../../lib/cache/store/lister.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import { parseLabelSelector } from '../../../lib/meta/selectors/label-selector.ts';
import type { ObjectMeta } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';

const subject = { group: '', resource: 'pods' };
const indexers = { [NAMESPACE_INDEX]: metaNamespaceIndexFunc };

function listerOf(pods: readonly Pod[], indexed = true): Lister<Pod> {
  const store = new ThreadSafeStore<Pod>(indexed ? { indexers } : {});
  for (const one of pods) store.add(metaNamespaceKeyFunc(one), one);
  return new StoreLister({
    store,
    opener: { one: (stored: Pod) => stored, many: (stored: readonly Pod[]) => stored },
    subject,
  });
}

function names(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.name!).toSorted();
}

/** A view that counts how often it is decoded and its labels are read. */
class CountingView implements ObjectView<Pod> {
  decoded = 0;
  labelsRead = 0;
  readonly metadata: ObjectMeta;
  readonly #pod: Pod;

  constructor(object: Pod) {
    this.#pod = object;
    const count = (): void => {
      this.labelsRead += 1;
    };
    const { labels } = object.metadata;
    this.metadata = {
      ...object.metadata,
      get labels() {
        count();
        return labels;
      },
    };
  }

  get object(): Pod {
    this.decoded += 1;
    return this.#pod;
  }
}

describe('Lister', () => {
  const pods = [
    pod('a', { labels: { app: 'web' } }),
    pod('b', { labels: { app: 'db' } }),
    pod('other/c', { labels: { app: 'web' } }),
    pod('/d'),
  ];

  for (const indexed of [true, false]) {
    describe(indexed ? 'with the namespace index' : 'without the namespace index', () => {
      const lister = listerOf(pods, indexed);

      it('lists by namespace and labels', () => {
        expect(names(lister.list())).to.deep.equal(['a', 'b', 'c', 'd']);
        expect(names(lister.list({ labels: 'app=web' }))).to.deep.equal(['a', 'c']);
        expect(names(lister.list({ namespace: 'shop' }))).to.deep.equal(['a', 'b']);
        expect(names(lister.list({ namespace: 'shop', labels: 'app!=web' }))).to.deep.equal(['b']);
        expect(names(lister.namespace('other').list())).to.deep.equal(['c']);
        expect(names(lister.namespace('other').list({ labels: 'app=db' }))).to.deep.equal([]);
        expect(names(lister.namespace('').list())).to.deep.equal(['a', 'b', 'c', 'd']);
        expect(names(lister.namespace('missing').list())).to.deep.equal([]);
      });

      it('takes parsed selectors', () => {
        const labels = parseLabelSelector('app in (db,cache)');
        expect(names(lister.list({ labels }))).to.deep.equal(['b']);
      });
    });
  }

  it('lists all, some and none of a hundred thousand objects', () => {
    const many = Array.from({ length: 100_000 }, (_, index) =>
      pod(`p${index}`, { labels: { app: index % 100 === 0 ? 'rare' : 'common' } }),
    );
    const lister = listerOf(many, false);
    expect(lister.list()).to.have.length(100_000);
    expect(lister.list({ labels: '' })).to.have.length(100_000);
    expect(lister.list({ labels: 'app=rare' })).to.have.length(1000);
    expect(lister.list({ labels: 'app=rare,app!=rare' })).to.deep.equal([]);
  });

  it('gets by name within a namespace, and cluster-scoped objects without one', () => {
    const lister = listerOf(pods);
    expect(lister.namespace('shop').get('a')).to.equal(pods[0]);
    expect(lister.namespace('shop').get('c')).to.equal(undefined);
    expect(lister.get('a')).to.equal(undefined);
    expect(lister.get('d')?.metadata.name).to.equal('d');
    expect(lister.namespace('').get('d')?.metadata.name).to.equal('d');
  });

  it('throws what a server would answer for an object that is not there', () => {
    const lister = listerOf(pods).namespace('shop');
    expect(lister.getOrThrow('a')).to.equal(pods[0]);
    try {
      lister.getOrThrow('nope');
      expect.fail('expected an error');
    } catch (error) {
      expect(isNotFound(error)).to.equal(true);
      expect((error as Error).message).to.equal('pods "nope" not found');
    }
  });

  it('refuses a selector it cannot read', () => {
    expect(codeOf(() => listerOf(pods).list({ labels: 'a==b==c' }))).to.equal('INVALID_SELECTOR');
  });

  it('decodes only what matches, each list once, and reads no labels without a selector', () => {
    const views = pods.map((one) => new CountingView(one));
    const store = new ThreadSafeStore<ObjectView<Pod>>({ indexers });
    for (const view of views) store.add(metaNamespaceKeyFunc(view), view);
    const lister = new StoreLister({ store, opener: new ViewOpener<Pod>(), subject });
    expect(names(lister.list({ namespace: 'shop', labels: 'app=web' }))).to.deep.equal(['a']);
    expect(views.map(({ decoded }) => decoded)).to.deep.equal([1, 0, 0, 0]);
    expect(views.map(({ labelsRead }) => labelsRead)).to.deep.equal([1, 1, 0, 0]);
    const other = lister.namespace('other');
    expect(other.list()).to.equal(other.list({ labels: '' }));
    expect(views.map(({ decoded }) => decoded)).to.deep.equal([1, 0, 1, 0]);
    expect(views.map(({ labelsRead }) => labelsRead)).to.deep.equal([1, 1, 0, 0]);
  });
});
