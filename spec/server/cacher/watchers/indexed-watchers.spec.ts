import { expect } from 'chai';
import type { CacheWatcher } from '../../../../lib/server/cacher/watchers/cache-watcher.ts';
import { IndexedWatchers } from '../../../../lib/server/cacher/watchers/indexed-watchers.ts';
import type { WatchCacheEvent } from '../../../../lib/server/cacher/window/watch-cache-event.ts';
import {
  attributesOf,
  change,
  pod,
  podKey,
  PREFIX,
  selecting,
  watcherOf,
  type Pod,
  type WatcherOptions,
} from '../cacher-harness.ts';

function setUp(all: readonly WatcherOptions[]): {
  readonly watchers: IndexedWatchers<Pod>;
  readonly made: CacheWatcher<Pod>[];
  readonly candidates: (event: WatchCacheEvent<Pod>) => number[];
} {
  const watchers = new IndexedWatchers<Pod>();
  const made = all.map((options, id) => watcherOf({ ...options, id }));
  for (const watcher of made) watchers.add(watcher);
  const candidates = (event: WatchCacheEvent<Pod>): number[] => {
    const ids: number[] = [];
    watchers.visitCandidates(event, ({ id }) => ids.push(id));
    return ids.toSorted((left, right) => left - right);
  };
  return { watchers, made, candidates };
}

const onNode = (node: string): WatcherOptions => ({
  predicate: selecting('', `spec.nodeName=${node}`),
});

describe('IndexedWatchers', () => {
  it('finds watchers by key and by prefix, and none of a namespace with a longer name', () => {
    const { candidates } = setUp([
      {},
      { scope: { path: `${PREFIX}shop/`, recursive: true } },
      { scope: { path: `${PREFIX}shop-2/`, recursive: true } },
      { scope: { path: podKey('a'), recursive: false } },
      { scope: { path: podKey('ab'), recursive: false } },
    ]);
    expect(candidates(change(2, { to: pod('a') }))).to.deep.equal([0, 1, 3]);
    expect(candidates(change(2, { to: pod('a', { namespace: 'shop-2' }) }))).to.deep.equal([0, 2]);
    expect(candidates(change(2, { to: pod('c', { namespace: 'other' }) }))).to.deep.equal([0]);
  });

  it('asks only those whose field value an object has or had', () => {
    const { candidates } = setUp([
      onNode('n1'),
      onNode('n2'),
      onNode('n3'),
      onNode(''),
      { predicate: selecting('', 'metadata.name=a') },
      { predicate: selecting('app=web') },
      { predicate: selecting('', 'spec.nodeName!=n1') },
    ]);
    expect(candidates(change(2, { to: pod('a') }))).to.deep.equal([3, 4, 5, 6]);
    const moved = change(3, { from: pod('b', { node: 'n1' }), to: pod('b', { node: 'n2' }) });
    expect(candidates(moved)).to.deep.equal([0, 1, 5, 6]);
    expect(candidates(change(4, { from: pod('b', { node: 'n2' }) }))).to.deep.equal([1, 5, 6]);
  });

  it('forgets watchers and everything that was kept for them', () => {
    const { watchers, made, candidates } = setUp([
      {},
      onNode('n1'),
      onNode('n1'),
      { scope: { path: podKey('a'), recursive: false } },
    ]);
    const event = change(2, { to: pod('a', { node: 'n1' }) });
    expect(candidates(event)).to.deep.equal([0, 1, 2, 3]);
    watchers.remove(made[1] as CacheWatcher<Pod>);
    watchers.remove(made[1] as CacheWatcher<Pod>);
    expect(candidates(event)).to.deep.equal([0, 2, 3]);
    for (const watcher of made) watchers.remove(watcher);
    expect(candidates(event)).to.deep.equal([]);
    expect(watchers.size).to.equal(0);
  });

  it('lets watchers be removed while they are visited', () => {
    const { watchers } = setUp([
      onNode('n1'),
      { predicate: selecting('', 'metadata.name=a') },
      {},
      {},
    ]);
    const visited: number[] = [];
    watchers.visitCandidates(change(2, { to: pod('a', { node: 'n1' }) }), (watcher) => {
      visited.push(watcher.id);
      watchers.remove(watcher);
    });
    expect(visited.toSorted((left, right) => left - right)).to.deep.equal([0, 1, 2, 3]);
    expect(watchers.size).to.equal(0);
  });

  it('asks all watchers of an index when the attributes cannot be read', () => {
    let broken = false;
    const fragile = (object: Pod): ReturnType<typeof attributesOf> => {
      if (broken) throw new Error('broken');
      return attributesOf(object);
    };
    const { candidates } = setUp([
      { predicate: { ...selecting('', 'spec.nodeName=n1'), attributesOf: fragile } },
    ]);
    expect(candidates(change(2, { to: pod('a') }))).to.deep.equal([]);
    broken = true;
    expect(candidates(change(3, { to: pod('a') }))).to.deep.equal([0]);
  });
});
