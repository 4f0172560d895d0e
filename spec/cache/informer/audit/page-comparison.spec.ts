import { expect } from 'chai';
import {
  LiveComparison,
  type LiveCache,
} from '../../../../lib/cache/informer/audit/live-comparison.ts';
import { ThreadSafeStore } from '../../../../lib/cache/store/thread-safe-store.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { metaNamespaceKeyFunc } from '../../../../lib/meta/key.ts';
import type { HasMetadata } from '../../../../lib/meta/object.ts';
import { pod } from '../../support/objects.ts';

const OBJECTS = 25_000;
const PAGE = 500;

function named(index: number): HasMetadata {
  return pod(`p${String(index).padStart(6, '0')}`, { resourceVersion: '5' });
}

interface Setting {
  readonly runtime: VirtualRuntime;
  readonly store: ThreadSafeStore<HasMetadata>;
  readonly cache: Omit<LiveCache, 'signal'>;
}

function cacheOf(objects: readonly HasMetadata[], keyFunc = metaNamespaceKeyFunc): Setting {
  const runtime = new VirtualRuntime();
  const store = new ThreadSafeStore<HasMetadata>();
  for (const object of objects) store.add(keyFunc(object), object);
  return { runtime, store, cache: { objects: store, keyFunc, reached: () => '9', runtime } };
}

/** The suspects, after a list in pages. */
async function lookAt(
  { cache, runtime }: Setting,
  listed: readonly HasMetadata[],
  betweenPages: () => void = () => {},
): Promise<string[]> {
  const { signal } = new AbortController();
  const look = new LiveComparison({ ...cache, resourceVersion: '9', signal });
  await runtime.run(async () => {
    for (let start = 0; start < listed.length; start += PAGE) {
      await look.take(listed.slice(start, start + PAGE));
      betweenPages();
    }
    await look.finish();
  });
  return Array.from(look.found, ([key, { kind }]) => `${key} ${kind}`).toSorted();
}

describe('the pages of a list, compared with a cache', () => {
  const all = Array.from({ length: OBJECTS }, (_, index) => named(index));

  it('show what is left over in each range of keys, and at both ends', async () => {
    const gone = new Set([0, 1, 9_999, 10_000, 10_499, 10_500, 17_000, OBJECTS - 1]);
    const listed = all.filter((_, index) => !gone.has(index));
    const expected = [...gone].map((index) => `${metaNamespaceKeyFunc(named(index))} left-over`);
    expect(await lookAt(cacheOf(all), listed)).to.deep.equal(expected.toSorted());
    expect(await lookAt(cacheOf(all), [])).to.have.length(1000);
  });

  it('show nothing that the cache has got, or has in a newer state, since the list', async () => {
    const setting = cacheOf(all);
    let round = 0;
    const suspects = await lookAt(setting, all, () => {
      round += 1;
      const added = pod(`p${String(round * 400).padStart(6, '0')}-new`, {
        resourceVersion: `${9 + round}`,
      });
      setting.store.add(metaNamespaceKeyFunc(added), added);
      const { name } = named(OBJECTS - round).metadata ?? {};
      const changed = pod(`${name}`, { resourceVersion: `${9 + round}` });
      setting.store.add(metaNamespaceKeyFunc(changed), changed);
    });
    expect(suspects).to.deep.equal([]);
  });

  it('show nothing left over where the list has no order, and still what is missing', async () => {
    const [first = named(0), ...others] = all;
    const listed = [...others.slice(100).toReversed(), pod('other', { resourceVersion: '4' })];
    expect(first.metadata?.name).to.equal('p000000');
    expect(await lookAt(cacheOf(all), listed)).to.deep.equal(['shop/other missing']);
  });

  it('are found by keys of any kind', async () => {
    const byName = ({ metadata }: HasMetadata): string => `${metadata?.name}!`;
    const few = all.slice(0, 10);
    const suspects = await lookAt(cacheOf(few, byName), few.slice(1));
    expect(suspects).to.deep.equal(['p000000! left-over']);
  });
});
