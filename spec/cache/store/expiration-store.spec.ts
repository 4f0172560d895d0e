import { expect } from 'chai';
import { ExpirationStore } from '../../../lib/cache/store/expiration-store.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { HasMetadata } from '../../../lib/meta/object.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';

function names(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.name!).toSorted();
}

describe('ExpirationStore', () => {
  it('gives an object until its age exceeds its time to live, and holds it no longer then', async () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 100, runtime });
    const a = pod('a');
    store.add(a);
    await runtime.advance(100);
    expect(store.get('shop/a')).to.equal(a);
    await runtime.advance(1);
    expect(store.size).to.equal(1);
    expect(store.get('shop/a')).to.equal(undefined);
    expect(store.size).to.equal(0);
  });

  it('expires an object stored at any time', async () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 100, runtime });
    for (const name of ['a', 'b', 'c']) {
      store.add(pod(name));
      await runtime.advance(1);
    }
    await runtime.advance(100);
    expect(names(store.list())).to.deep.equal([]);
  });

  it('keeps an object without a time limit when its time to live is 0', async () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 0, runtime });
    store.add(pod('a'));
    await runtime.advance(1e9);
    expect(names(store.list())).to.deep.equal(['a']);
  });

  it('restarts the time of an object that is stored again, also when it had expired', async () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 100, runtime });
    store.add(pod('a'));
    store.add(pod('b'));
    await runtime.advance(80);
    store.update(pod('a'));
    await runtime.advance(80);
    store.add(pod('b'));
    expect(names(store.list())).to.deep.equal(['a', 'b']);
    await runtime.advance(30);
    expect(store.get('shop/a')).to.equal(undefined);
    expect(store.get('shop/b')?.metadata.name).to.equal('b');
  });

  it('lists what lives and lets the rest go', async () => {
    const runtime = new VirtualRuntime();
    const ttlMs = ({ metadata }: Pod): number => (metadata.name === 'short' ? 10 : 1000);
    const store = new ExpirationStore<Pod>({ ttlMs, runtime });
    store.add(pod('short'));
    store.add(pod('long'));
    await runtime.advance(11);
    expect(store.keys()).to.deep.equal(['shop/long']);
    expect(store.size).to.equal(2);
    expect(names(store.list())).to.deep.equal(['long']);
    expect(store.size).to.equal(1);
  });

  it('swaps the content at one instant, or not at all', async () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 100, runtime });
    store.add(pod('gone'));
    store.replace([pod('a'), pod('b')]);
    expect(codeOf(() => store.replace([pod('c'), { metadata: {} }]))).to.equal('KEY');
    await runtime.advance(100);
    expect(names(store.list())).to.deep.equal(['a', 'b']);
    await runtime.advance(1);
    expect(store.list()).to.deep.equal([]);
  });

  it('deletes by the key of an object, and takes another KeyFunc', () => {
    const runtime = new VirtualRuntime();
    const keyFunc = ({ metadata }: HasMetadata): string => metadata?.uid ?? '';
    const store = new ExpirationStore<Pod>({ ttlMs: 100, keyFunc, runtime });
    store.add(pod('a', { uid: 'u1' }));
    store.delete(pod('x', { uid: 'u1' }));
    store.delete(pod('x', { uid: 'u1' }));
    expect(store.get('u1')).to.equal(undefined);
    expect(codeOf(() => store.add(pod('nameless')))).to.equal('KEY');
  });

  it('lets the least recently used go beyond its capacity', () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 100, capacity: 2, runtime });
    for (const name of ['a', 'b']) store.add(pod(name));
    store.get('shop/a');
    store.add(pod('c'));
    expect(names(store.list())).to.deep.equal(['a', 'c']);
  });

  it('may hold one object, and refuses to hold none', () => {
    const runtime = new VirtualRuntime();
    const store = new ExpirationStore<Pod>({ ttlMs: 100, capacity: 1, runtime });
    for (const name of ['a', 'b']) store.add(pod(name));
    expect(names(store.list())).to.deep.equal(['b']);
    for (const capacity of [0, 1.5, 10_000_001]) {
      const make = (): unknown => new ExpirationStore({ ttlMs: 100, capacity, runtime });
      expect(codeOf(make)).to.equal('INVALID_OPTION');
    }
  });

  it('refuses an invalid time to live', () => {
    const runtime = new VirtualRuntime();
    for (const ttlMs of [-1, 1.5, Infinity, Number.NaN, undefined as unknown as number]) {
      expect(codeOf(() => new ExpirationStore({ ttlMs, runtime }))).to.equal('INVALID_OPTION');
      const store = new ExpirationStore<Pod>({ ttlMs: () => ttlMs, runtime });
      expect(codeOf(() => store.add(pod('a')))).to.equal('INVALID_OPTION');
      expect(store.size).to.equal(0);
    }
  });
});
