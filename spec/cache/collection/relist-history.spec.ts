import { expect } from 'chai';
import type { DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import { Harness, recorder, type HarnessOptions } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

/** `action name event-version/version-in-the-cache`, as each callback finds it. */
function historian(harness: Harness): string[] {
  const history: string[] = [];
  const note = (action: string, key: string, { metadata }: Pod, mark = ''): void => {
    const cached = harness.informer.indexer.get(key)?.metadata.resourceVersion ?? 'none';
    history.push(`${action}${mark} ${metadata.name} ${metadata.resourceVersion}/${cached}`);
  };
  harness.informer.addHandler({
    onAdd: (object, { key, initial }) => note('add', key, object, initial ? '!' : ''),
    onUpdate: (_, object, { key }) => note('update', key, object),
    onDelete: (object, { key }) => note('delete', key, object),
  });
  return history;
}

const versionOf = (harness: Harness): string => harness.informer.indexer.resourceVersion;

for (const order of ['arrival', 'key'] as const satisfies readonly DeltaOrder[]) {
  describe(`the history of a relist in the order of ${order}`, () => {
    async function notified(
      before: readonly string[],
      during: (source: Harness['source']) => void,
      options: HarnessOptions = {},
    ): Promise<{ history: string[]; stored: string[]; listed: string[] }> {
      const objects = before.map((name) => pod(name));
      const harness = new Harness({ objects, order, ...options });
      const history = historian(harness);
      await harness.start();
      history.length = 0;
      await harness.relist(() => during(harness.source));
      const print = ({ metadata }: Pod): string => `${metadata.name}@${metadata.resourceVersion}`;
      const stored = harness.informer.indexer.list().map(print).toSorted();
      await harness.stop();
      return { history, stored, listed: harness.source.objects.map(print) };
    }

    it('has additions alone when nothing was there', async () => {
      const { history, stored, listed } = await notified([], (source) => source.add(pod('a')));
      expect(history).to.deep.equal(['add a 1/1']);
      expect(stored).to.deep.equal(listed);
    });

    it('has deletions alone, with the last known states, when nothing is left', async () => {
      const { history, stored } = await notified(['a', 'b'], (source) => {
        source.delete({ namespace: 'shop', name: 'a' });
        source.delete({ namespace: 'shop', name: 'b' });
      });
      expect(history.toSorted()).to.deep.equal(['delete a 1/none', 'delete b 2/none']);
      expect(stored).to.deep.equal([]);
    });

    it(`has the deletions ${order === 'arrival' ? 'first' : 'last'} and the rest as listed, and the cache shows each`, async () => {
      const { history, stored, listed } = await notified(['a', 'b', 'c'], (source) => {
        source.modify(pod('a'));
        source.modify(pod('b', { labels: { ver: '2' } }));
        source.add(pod('d'));
        source.delete({ namespace: 'shop', name: 'c' });
      });
      const rest = ['update a 4/4', 'update b 5/5', 'add d 6/6'];
      const deletion = 'delete c 3/none';
      expect(history).to.deep.equal(
        order === 'arrival' ? [deletion, ...rest] : [...rest, deletion],
      );
      expect(stored).to.deep.equal(listed);
    });

    it('delivers the missed changes of one object and new objects, none as an initial object', async () => {
      const { history } = await notified(['a', 'b'], (source) => {
        source.modify(pod('a'));
        source.add(pod('c'));
      });
      expect(history).to.deep.equal(['update a 3/3', 'add c 4/4']);
    });
  });
}

describe('the history of a relist', () => {
  it('is what changed, for handlers with and without resyncs; the rest comes with the next resync', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b')], resyncIntervalMs: 40_000 });
    const [without, resynced]: [string[], string[]] = [[], []];
    harness.informer.addHandler(recorder(without), { resyncIntervalMs: 0 });
    harness.informer.addHandler(recorder(resynced));
    await harness.start();
    without.length = 0;
    resynced.length = 0;
    harness.source.pause();
    harness.source.add(pod('c'));
    harness.source.modify(pod('b'));
    await harness.settle();
    expect([without, resynced]).to.deep.equal([[], []]);
    harness.source.dropConnections();
    harness.source.compact();
    harness.source.resume();
    await harness.runtime.advance(30_000);
    const changed = ['~shop/b@4', '+shop/c@3'];
    expect([without, resynced]).to.deep.equal([changed, changed]);
    await harness.runtime.advance(15_000);
    expect(without).to.deep.equal(changed);
    expect(resynced.slice(2)).to.have.members(['~shop/a@1!', '~shop/b@4!', '~shop/c@3!']);
    await harness.stop();
  });
});

describe('the resource version of the cache', () => {
  it('follows additions, updates and deletions', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    await harness.start();
    expect(versionOf(harness)).to.equal('1');
    harness.source.modify(pod('a'));
    await harness.settle();
    expect(versionOf(harness)).to.equal('2');
    harness.source.delete({ namespace: 'shop', name: 'a' });
    await harness.settle();
    expect(versionOf(harness)).to.equal('3');
    await harness.stop();
  });

  it('stands still for objects that a transform took the metadata from, until a list or a bookmark', async () => {
    const transform = ({ kind }: Pod): Pod => ({ kind }) as Pod;
    const harness = new Harness({ objects: [pod('a')], transform });
    await harness.start();
    expect(versionOf(harness)).to.equal('1');
    harness.source.modify(pod('a'));
    harness.source.add(pod('b'));
    await harness.settle();
    expect(harness.informer.indexer.keys()).to.have.members(['shop/a', 'shop/b']);
    expect(versionOf(harness)).to.equal('1');
    await harness.relist(() => harness.source.modify(pod('a')));
    expect(versionOf(harness)).to.equal('4');
    harness.source.skipVersions(3);
    harness.source.bookmark();
    await harness.settle();
    expect(versionOf(harness)).to.equal('7');
    await harness.stop();
  });
});
