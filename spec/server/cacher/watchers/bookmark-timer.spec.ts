import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { BookmarkTimer } from '../../../../lib/server/cacher/watchers/bookmark-timer.ts';
import type { CacheWatcher } from '../../../../lib/server/cacher/watchers/cache-watcher.ts';
import { watcherOf, WatchRecorder, type Pod } from '../cacher-harness.ts';

class Stage {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  revision: bigint | undefined = 7n;
  ticks = 0;
  readonly requestedAtMs: number[] = [];
  readonly timer = new BookmarkTimer<Pod>({
    runtime: this.runtime,
    currentRevision: () => {
      this.ticks += 1;
      return this.revision;
    },
    requestProgress: () => this.requestedAtMs.push(this.runtime.monotonicMs()),
  });

  watcher(deadlineMonotonicMs?: number): CacheWatcher<Pod> {
    const { runtime, timer } = this;
    const watcher = watcherOf({
      runtime,
      bookmarks: true,
      deadlineMonotonicMs,
      onEnd: (ended) => timer.remove(ended),
    });
    timer.add(watcher);
    return watcher;
  }
}

describe('BookmarkTimer', () => {
  it('sends a bookmark about once a minute', async () => {
    const stage = new Stage();
    const watcher = stage.watcher();
    const recorder = new WatchRecorder(watcher);
    await stage.runtime.advance(59_999);
    expect(recorder.lines).to.deep.equal([]);
    await stage.runtime.advance(1_300);
    expect(recorder.lines).to.deep.equal(['BOOKMARK @7']);
    stage.revision = 9n;
    await stage.runtime.advance(180_000);
    expect(recorder.lines.slice(0, 3)).to.deep.equal(['BOOKMARK @7', 'BOOKMARK @9', 'BOOKMARK @9']);
    watcher.destroy();
  });

  it('sends the last one within the two seconds before the deadline, and none after', async () => {
    const stage = new Stage();
    const watcher = stage.watcher(10_000);
    const recorder = new WatchRecorder(watcher);
    await stage.runtime.advance(7_999);
    expect(recorder.lines).to.deep.equal([]);
    await stage.runtime.advance(1_900);
    expect(recorder.lines).to.deep.equal(['BOOKMARK @7']);
    await stage.runtime.advance(200_000);
    expect(recorder.events).to.have.length(1);
    watcher.destroy();
  });

  it('asks for progress once, at the tick before bookmarks are due', async () => {
    const stage = new Stage();
    const watchers = [stage.watcher(), stage.watcher()];
    await stage.runtime.advance(62_000);
    expect(stage.requestedAtMs).to.have.length(1);
    expect(stage.requestedAtMs[0]).to.be.within(58_750, 60_000);
    for (const watcher of watchers) watcher.destroy();
  });

  it('tries again a second later while the revision that all watchers have reached is unknown', async () => {
    const stage = new Stage();
    stage.revision = undefined;
    const watcher = stage.watcher();
    const recorder = new WatchRecorder(watcher);
    await stage.runtime.advance(70_000);
    expect(recorder.lines).to.deep.equal([]);
    stage.revision = 8n;
    await stage.runtime.advance(1_300);
    expect(recorder.lines).to.deep.equal(['BOOKMARK @8']);
    watcher.destroy();
  });

  it('gives all watchers of a tick the same bookmark', async () => {
    const stage = new Stage();
    const recorders = [1, 2].map(() => new WatchRecorder(stage.watcher()));
    await stage.runtime.advance(62_000);
    expect(recorders[0]?.events[0]).to.equal(recorders[1]?.events[0]);
    expect(recorders[0]?.events).to.have.length(1);
  });

  it('ticks twice for each bookmark, and not between them', async () => {
    const stage = new Stage();
    const watcher = stage.watcher();
    const recorder = new WatchRecorder(watcher);
    await stage.runtime.advance(630_000);
    expect(recorder.events).to.have.length(10);
    expect(stage.ticks).to.be.within(20, 22);
    watcher.destroy();
  });

  it('ticks once a second at most, however many watchers are due at different times', async () => {
    const stage = new Stage();
    const recorders: WatchRecorder[] = [];
    for (let count = 0; count < 100; count += 1) {
      recorders.push(new WatchRecorder(stage.watcher()));
      await stage.runtime.advance(600);
    }
    const before = stage.ticks;
    await stage.runtime.advance(60_000);
    expect(stage.ticks - before).to.be.within(45, 60);
    for (const { events } of recorders) expect(events).to.have.length.within(1, 2);
  });

  it('wakes earlier for a watcher that is due before all others', async () => {
    const stage = new Stage();
    const other = stage.watcher();
    await stage.runtime.advance(1000);
    const recorder = new WatchRecorder(stage.watcher(11_000));
    await stage.runtime.advance(9_300);
    expect(recorder.lines).to.deep.equal(['BOOKMARK @7']);
    other.destroy();
  });

  it('has a timer only while a watcher wants bookmarks', async () => {
    const stage = new Stage();
    const [first, second] = [stage.watcher(), stage.watcher()];
    await stage.runtime.advance(61_000);
    const { ticks } = stage;
    expect(ticks).to.be.within(1, 2);
    first.destroy();
    second.destroy();
    await stage.runtime.advance(180_000);
    expect(stage.ticks).to.equal(ticks);
    stage.watcher();
    await stage.runtime.advance(62_000);
    expect(stage.ticks).to.be.greaterThan(ticks);
  });
});
