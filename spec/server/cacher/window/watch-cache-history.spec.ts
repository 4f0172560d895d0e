import { expect } from 'chai';
import { OrderedStore } from '../../../../lib/server/cacher/window/ordered-store.ts';
import type { StoreElement } from '../../../../lib/server/cacher/window/store-element.ts';
import {
  WatchCacheHistory,
  type WatchCacheHistoryOptions,
} from '../../../../lib/server/cacher/window/watch-cache-history.ts';
import { change, pod, type Pod } from '../cacher-harness.ts';

const EMPTY = OrderedStore.of<StoreElement<Pod>>([]);

function history(options: WatchCacheHistoryOptions = {}): WatchCacheHistory<Pod> {
  return new WatchCacheHistory<Pod>({ minCapacity: 4, maxCapacity: 16, ...options });
}

function append(to: WatchCacheHistory<Pod>, revisions: readonly number[], atMs = 0): void {
  for (const revision of revisions) to.append(change(revision, { to: pod(`p${revision}`), atMs }));
}

function revisions(of: WatchCacheHistory<Pod>): number[] {
  const found: number[] = [];
  for (let index = of.startIndex; index < of.endIndex; index += 1) {
    found.push(Number(of.at(index)?.revision));
  }
  return found;
}

describe('WatchCacheHistory', () => {
  it('has room for 100 events at first, 102,400 at most, and keeps them for 75 seconds', () => {
    const real = new WatchCacheHistory<Pod>();
    expect(real.capacity).to.equal(100);
    const all = Array.from({ length: 110_000 }, (_, index) => index + 1);
    append(real, all, 0);
    expect(real.capacity).to.equal(102_400);
    expect(real.size).to.equal(102_400);
    append(real, [110_001], 74_999);
    expect(real.capacity).to.equal(102_400);
    append(real, [110_002], 75_000);
    expect(real.capacity).to.equal(51_200);
  });

  it('doubles while it is full of fresh events', () => {
    const window = history();
    append(window, [1, 2, 3, 4, 5], 74_999);
    expect(window.capacity).to.equal(8);
    expect(revisions(window)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('stops growing at its upper bound and then evicts the oldest', () => {
    const window = history();
    append(
      window,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(window.capacity).to.equal(16);
    expect(revisions(window)[0]).to.equal(5);
    expect(window.startIndex).to.equal(4);
    expect(window.endIndex).to.equal(20);
    expect(window.at(3)).to.equal(undefined);
    expect(window.at(20)).to.equal(undefined);
  });

  it('keeps its size when it is full, its oldest event stale and its newest quarter fresh', () => {
    const window = history();
    append(window, [1, 2, 3, 4, 5, 6], 0);
    append(window, [7, 8], 75_000);
    append(window, [9], 112_500);
    expect(window.capacity).to.equal(8);
    expect(revisions(window)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('halves when even the newest quarter is stale, and keeps the newest events', () => {
    const window = history();
    append(window, [1, 2, 3, 4, 5, 6, 7, 8], 0);
    append(window, [9], 375_000);
    expect(window.capacity).to.equal(4);
    expect(revisions(window)).to.deep.equal([6, 7, 8, 9]);
    expect(window.oldestRevision).to.equal(5n);
  });

  it('never shrinks below its lower bound', () => {
    const window = history();
    for (let revision = 1; revision < 20; revision += 1)
      append(window, [revision], revision * 375_000);
    expect(window.capacity).to.equal(4);
  });

  it('finds the first event after a revision', () => {
    const window = history();
    append(window, [3, 5, 5, 9]);
    const after = (revision: bigint): number => window.firstAfter(revision) - window.startIndex;
    expect([2n, 3n, 4n, 5n, 8n, 9n, 99n].map(after)).to.deep.equal([0, 1, 1, 3, 3, 4, 4]);
  });

  it('can go back to the list, and once something was evicted to the last evicted revision', () => {
    const window = history({ maxCapacity: 4 });
    window.restart(10n, EMPTY);
    expect(window.oldestRevision).to.equal(10n);
    append(window, [12, 15, 17, 19]);
    expect(window.oldestRevision).to.equal(10n);
    append(window, [20]);
    expect(window.oldestRevision).to.equal(12n);
  });

  it('cannot start within a revision of which one event was evicted', () => {
    const window = history({ maxCapacity: 4 });
    window.restart(1n, EMPTY);
    append(window, [2, 2, 3, 4, 5]);
    // The other event of revision 2 is still there, but a watch from 1 would miss the first.
    expect(revisions(window)).to.deep.equal([2, 3, 4, 5]);
    expect(window.oldestRevision).to.equal(2n);
  });

  it('has the state at each revision from which a watch can start', () => {
    const window = history({ maxCapacity: 4 });
    window.restart(10n, EMPTY);
    append(window, [12, 15, 17, 19, 20]);
    const namesAt = (revision: bigint): string[] | undefined => {
      const state = window.stateAt(revision);
      return state && [...state.range()].map(({ key }) => key.split('/').at(-1) ?? '');
    };
    expect(namesAt(11n)).to.equal(undefined);
    expect(namesAt(12n)).to.deep.equal(['p12']);
    expect(namesAt(14n)).to.deep.equal(['p12']);
    expect(namesAt(15n)).to.deep.equal(['p15']);
    expect(namesAt(20n)).to.deep.equal(['p20']);
  });

  it('keeps counting its indexes over a restart, so that old readers notice', () => {
    const window = history();
    append(window, [1, 2, 3]);
    const { endIndex } = window;
    window.restart(9n, EMPTY);
    expect(window.startIndex).to.equal(endIndex);
    expect(window.at(0)).to.equal(undefined);
    expect(window.size).to.equal(0);
    append(window, [10]);
    expect(window.at(endIndex)?.revision).to.equal(10n);
  });

  it('names the option that is out of range', () => {
    expect(() => history({ minCapacity: 0 })).to.throw('minCapacity');
    expect(() => history({ maxCapacity: 3 })).to.throw('maxCapacity');
    expect(() => history({ freshMs: 74_999 })).to.throw('freshMs');
    expect(() => history({ freshMs: Infinity })).to.throw('freshMs');
  });

  it('may grow larger when events have to stay longer', () => {
    const window = new WatchCacheHistory<Pod>({ minCapacity: 51_200, freshMs: 150_001 });
    const all = Array.from({ length: 420_000 }, (_, index) => change(index + 1, {}));
    for (const event of all) window.append(event);
    expect(window.capacity).to.equal(409_600);
  });
});
