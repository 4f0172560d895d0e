import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { NextTurn } from '../../../../lib/server/cacher/watchers/next-turn.ts';
import { OrderedStore } from '../../../../lib/server/cacher/window/ordered-store.ts';
import type { StoreElement } from '../../../../lib/server/cacher/window/store-element.ts';
import { WatchCacheHistory } from '../../../../lib/server/cacher/window/watch-cache-history.ts';
import {
  HistoryInterval,
  ListedInterval,
} from '../../../../lib/server/cacher/window/watch-cache-interval.ts';
import {
  change,
  HandMadeObject,
  line,
  pod,
  PREFIX,
  selecting,
  watcherOf,
  WatchRecorder,
  type Pod,
} from '../cacher-harness.ts';

const WEB = { labels: { app: 'web' } };
const BOOKMARK = { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false } as const;

async function settled(runtime = new VirtualRuntime()): Promise<void> {
  await runtime.settle();
}

describe('CacheWatcher', () => {
  it('sends ADDED, MODIFIED and DELETED as objects enter, stay in and leave the selector', async () => {
    const watcher = watcherOf({ predicate: selecting('app=web') });
    const recorder = new WatchRecorder(watcher);
    watcher.offer(change(2, { to: pod('a') }));
    watcher.offer(change(3, { from: pod('a'), to: pod('a', WEB) }));
    watcher.offer(change(4, { from: pod('a', WEB), to: pod('a', { ...WEB, node: 'n1' }) }));
    watcher.offer(change(5, { from: pod('a', WEB), to: pod('a') }));
    watcher.offer(change(6, { from: pod('a'), to: pod('a', { node: 'n2' }) }));
    watcher.offer(change(7, { from: pod('a') }));
    watcher.offer(change(8, { to: pod('b', WEB) }));
    watcher.offer(change(9, { from: pod('b', WEB) }));
    await settled();
    expect(recorder.lines).to.deep.equal([
      'ADDED shop/a @3',
      'MODIFIED shop/a @4',
      'DELETED shop/a @5',
      'ADDED shop/b @8',
      'DELETED shop/b @9',
    ]);
    watcher.destroy();
  });

  it('gathers what comes in one turn for a reader that waits, and keeps the order', async () => {
    const runtime = new VirtualRuntime();
    const watcher = watcherOf({ turn: new NextTurn(runtime) });
    const batches: string[][] = [];
    const reading = (async () => {
      for await (const batch of watcher) batches.push(batch.map(line));
    })();
    await runtime.settle();
    for (const revision of [2, 3, 4]) {
      watcher.offer(change(revision, { to: pod(`p${revision}`) }));
      await Promise.resolve();
    }
    expect(batches).to.deep.equal([]);
    await runtime.settle();
    watcher.offer(change(5, { to: pod('p5') }));
    watcher.end();
    await runtime.settle();
    await reading;
    expect(batches).to.deep.equal([
      ['ADDED shop/p2 @2', 'ADDED shop/p3 @3', 'ADDED shop/p4 @4'],
      ['ADDED shop/p5 @5'],
    ]);
  });

  it('wakes its reader before the turn is over when the queue is full', async () => {
    const runtime = new VirtualRuntime();
    const watcher = watcherOf({ turn: new NextTurn(runtime), queueCapacity: 3 });
    const recorder = new WatchRecorder(watcher);
    await runtime.settle();
    for (let revision = 2; revision < 12; revision += 1) {
      expect(watcher.offer(change(revision, { to: pod(`p${revision}`) }))).to.equal(true);
      for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
    }
    expect(recorder.events.length).to.be.at.least(9);
    await runtime.settle();
    expect(recorder.events).to.have.length(10);
    watcher.destroy();
  });

  it('sends for an object that leaves the selector its previous content with the version of the change', async () => {
    const watcher = watcherOf({ predicate: selecting('app=web') });
    const event = change(5, { from: pod('a', WEB), to: pod('a', { node: 'n9' }) });
    watcher.offer(event);
    const recorder = new WatchRecorder(watcher);
    await settled();
    const [notified] = recorder.events;
    if (notified?.type !== 'DELETED') throw new Error('expected a deletion');
    const { object, bytes, metadata, resourceVersion } = notified.object;
    expect(object.metadata?.labels).to.deep.equal(WEB.labels);
    expect(object.spec).to.equal(undefined);
    expect([
      resourceVersion,
      metadata.resourceVersion,
      object.metadata?.resourceVersion,
    ]).to.deep.equal(['5', '5', '5']);
    expect(JSON.parse(Buffer.from(bytes).toString())).to.deep.equal(object);
    expect(notified.object.bytes).to.equal(bytes);
    const copy = notified.object.copy();
    expect(copy).to.deep.equal(object);
    expect(copy.metadata).to.not.equal(object.metadata);
    expect(event.change.previous?.stored.resourceVersion).to.equal('4');
    watcher.destroy();
  });

  it('gives every watcher the same event object', () => {
    const event = change(5, { from: pod('a'), to: pod('a', WEB) });
    expect(event.seenThrough(undefined)).to.equal(event.seenThrough(selecting('')));
    expect(event.seenThrough(selecting('app=web'))).to.equal(event.change.current?.added);
    const gone = change(6, { from: pod('a', WEB), to: pod('a') });
    expect(gone.seenThrough(selecting('app=web'))).to.equal(gone.seenThrough(selecting('app')));
  });

  it('sends only what is newer than where it starts, also when that lies in the future', async () => {
    const watcher = watcherOf({ startRevision: 5n });
    const recorder = new WatchRecorder(watcher);
    for (const revision of [4, 5, 6, 6, 7])
      watcher.offer(change(revision, { to: pod(`p${revision}`) }));
    await settled();
    expect(recorder.lines).to.deep.equal([
      'ADDED shop/p6 @6',
      'ADDED shop/p6 @6',
      'ADDED shop/p7 @7',
    ]);
    watcher.destroy();
  });

  it('marks the end of the initial events once, between them and what follows', async () => {
    const watcher = watcherOf({
      initial: [pod('a'), pod('b')],
      bookmarks: true,
      markInitialEventsEnd: true,
    });
    watcher.offer(change(3, { to: pod('c') }));
    watcher.offerBookmark({ ...BOOKMARK, resourceVersion: '3' }, 3n);
    const recorder = new WatchRecorder(watcher);
    await settled();
    expect(recorder.lines).to.deep.equal([
      'ADDED shop/a @1',
      'ADDED shop/b @2',
      'BOOKMARK @2 end',
      'ADDED shop/c @3',
      'BOOKMARK @3',
    ]);
    watcher.destroy();
  });

  it('marks the end of an empty initial state', async () => {
    const recorder = new WatchRecorder(watcherOf({ bookmarks: true, markInitialEventsEnd: true }));
    await settled();
    expect(recorder.lines).to.deep.equal(['BOOKMARK @0 end']);
  });

  it('marks nothing for a reader that wants no bookmarks', async () => {
    const recorder = new WatchRecorder(
      watcherOf({ initial: [pod('a')], markInitialEventsEnd: true }),
    );
    await settled();
    expect(recorder.lines).to.deep.equal(['ADDED shop/a @1']);
  });

  it('refuses what its queue has no room for, and says when there is', async () => {
    const watcher = watcherOf({ queueCapacity: 2 });
    const offer = (revision: number): boolean =>
      watcher.offer(change(revision, { to: pod(`p${revision}`) }));
    expect([offer(1), offer(2), offer(3)]).to.deep.equal([true, true, false]);
    let notified = 0;
    watcher.whenRoom(() => {
      notified += 1;
      expect(offer(3)).to.equal(true);
    });
    const recorder = new WatchRecorder(watcher);
    await settled();
    expect(notified).to.equal(1);
    expect(recorder.lines).to.deep.equal([
      'ADDED shop/p1 @1',
      'ADDED shop/p2 @2',
      'ADDED shop/p3 @3',
    ]);
    watcher.destroy();
  });

  it('accepts changes that do not match even when it is full', () => {
    const watcher = watcherOf({ queueCapacity: 1, predicate: selecting('app=web') });
    watcher.offer(change(1, { to: pod('a', WEB) }));
    expect(watcher.offer(change(2, { to: pod('b') }))).to.equal(true);
    expect(watcher.offer(change(3, { to: pod('c', WEB) }))).to.equal(false);
    watcher.destroy();
  });

  it('never lets a bookmark go back behind what was sent, and never waits for room for one', async () => {
    const watcher = watcherOf({ queueCapacity: 2, bookmarks: true });
    watcher.offer(change(5, { to: pod('a') }));
    watcher.offerBookmark({ ...BOOKMARK, resourceVersion: '4' }, 4n);
    watcher.offerBookmark({ ...BOOKMARK, resourceVersion: '5' }, 5n);
    watcher.offerBookmark(BOOKMARK, 9n);
    const recorder = new WatchRecorder(watcher);
    await settled();
    expect(recorder.lines).to.deep.equal(['ADDED shop/a @5', 'BOOKMARK @5']);
    watcher.destroy();
  });

  it('lets its reader finish what is queued when it is ended', async () => {
    const watcher = watcherOf({ initial: [pod('a')], bookmarks: true, markInitialEventsEnd: true });
    watcher.offer(change(2, { to: pod('b') }));
    watcher.end();
    expect(watcher.offer(change(3, { to: pod('c') }))).to.equal(true);
    const recorder = new WatchRecorder(watcher);
    await recorder.done;
    expect(recorder.lines).to.deep.equal(['ADDED shop/a @1', 'BOOKMARK @1 end', 'ADDED shop/b @2']);
  });

  it('throws after what is queued when it fails, and nothing follows', async () => {
    const watcher = watcherOf();
    watcher.offer(change(2, { to: pod('b') }));
    watcher.fail(new Error('broken'));
    watcher.fail(new Error('later'));
    const reader = watcher[Symbol.asyncIterator]();
    expect((await reader.next()).value?.map(line)).to.deep.equal(['ADDED shop/b @2']);
    const error = await reader.next().catch((caught: unknown) => caught);
    expect((error as Error).message).to.equal('broken');
    expect((await reader.next()).done).to.equal(true);
  });

  it('drops what is queued when it is closed, when its signal aborts, and when its reader leaves', async () => {
    const abort = new AbortController();
    let ends = 0;
    const onEnd = (): void => {
      ends += 1;
    };
    const [closed, aborted, left] = [
      watcherOf({ onEnd }),
      watcherOf({ onEnd, signal: abort.signal }),
      watcherOf({ onEnd }),
    ];
    for (const watcher of [closed, aborted, left]) watcher.offer(change(2, { to: pod('b') }));
    closed.destroy();
    closed.destroy();
    abort.abort();
    await left[Symbol.asyncIterator]().return?.();
    expect(ends).to.equal(3);
    for (const watcher of [closed, aborted, left]) {
      expect((await watcher[Symbol.asyncIterator]().next()).done).to.equal(true);
      expect(watcher.ended).to.equal(true);
    }
  });

  it('wakes a waiting reader when it is closed', async () => {
    const watcher = watcherOf();
    const recorder = new WatchRecorder(watcher);
    await settled();
    watcher.destroy();
    await recorder.done;
    expect(recorder.events).to.deep.equal([]);
  });

  it('goes on from a listed state with what has happened since, and repeats nothing of it', async () => {
    const runtime = new VirtualRuntime();
    const window = new WatchCacheHistory<Pod>();
    const scope = { path: PREFIX, recursive: true };
    const changes = [5, 6].map((revision) => change(revision, { to: pod(`p${revision}`) }));
    for (const one of changes) window.append(one);
    const rest = new HistoryInterval(window, window.firstAfter(4n), 6n, scope);
    const listed = new ListedInterval([new HandMadeObject(pod('a'), 3)], 4n, rest);
    const watcher = watcherOf({
      runtime,
      interval: listed,
      startRevision: 4n,
      bookmarks: true,
      markInitialEventsEnd: true,
    });
    // The dispatcher was behind the window when the watch began.
    for (const one of [...changes, change(7, { to: pod('p7') })]) watcher.offer(one);
    const recorder = new WatchRecorder(watcher);
    await settled(runtime);
    expect(recorder.lines).to.deep.equal([
      'ADDED shop/a @3',
      'BOOKMARK @4 end',
      'ADDED shop/p5 @5',
      'ADDED shop/p6 @6',
      'ADDED shop/p7 @7',
    ]);
  });

  it('ends without an error when the window has moved past its interval', async () => {
    const runtime = new VirtualRuntime();
    const window = new WatchCacheHistory<Pod>({ minCapacity: 4, maxCapacity: 4 });
    window.restart(0n, OrderedStore.of<StoreElement<Pod>>([]));
    for (let revision = 1; revision <= 4; revision += 1)
      window.append(change(revision, { to: pod('a') }));
    const interval = new HistoryInterval(window, window.startIndex, 4n, {
      path: PREFIX,
      recursive: true,
    });
    const watcher = watcherOf({ runtime, interval });
    watcher.offer(change(5, { to: pod('b') }));
    window.append(change(5, { to: pod('b') }));
    const recorder = new WatchRecorder(watcher);
    await recorder.done;
    expect([recorder.lines, recorder.error]).to.deep.equal([[], undefined]);
  });

  it('reads a large initial state in pieces, with other tasks in between', async () => {
    const runtime = new VirtualRuntime();
    const initial = Array.from({ length: 1200 }, (_, index) =>
      pod(`p${String(index).padStart(4, '0')}`),
    );
    const reader = watcherOf({ runtime, initial })[Symbol.asyncIterator]();
    const sizes: number[] = [];
    for (const _ of [1, 2, 3]) sizes.push((await runtime.run(reader.next())).value?.length ?? 0);
    expect(sizes).to.deep.equal([500, 500, 200]);
    const again = watcherOf({ runtime, initial, predicate: selecting('app=none') })[
      Symbol.asyncIterator
    ]();
    let taskRan = false;
    runtime.queueTask(() => {
      taskRan = true;
    });
    void again.next();
    await runtime.settle();
    expect(taskRan).to.equal(true);
  });

  it('fails alone when its predicate throws', async () => {
    const predicate = {
      ...selecting('app=web'),
      attributesOf: (): never => {
        throw new TypeError('no labels today');
      },
    };
    const live = watcherOf({ predicate });
    live.offer(change(2, { to: pod('b') }));
    const recorders = [
      new WatchRecorder(live),
      new WatchRecorder(watcherOf({ predicate, initial: [pod('a')] })),
    ];
    for (const recorder of recorders) {
      await recorder.done;
      expect(String(recorder.error)).to.contain('no labels today');
    }
  });
});
