import { expect } from 'chai';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { CacheWatcher } from '../../../../lib/server/cacher/watchers/cache-watcher.ts';
import { EventDispatcher } from '../../../../lib/server/cacher/watchers/event-dispatcher.ts';
import { IndexedWatchers } from '../../../../lib/server/cacher/watchers/indexed-watchers.ts';
import {
  change,
  pod,
  watcherOf,
  WatchRecorder,
  type Pod,
  type WatcherOptions,
} from '../cacher-harness.ts';

class Stage {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly watchers = new IndexedWatchers<Pod>();
  readonly slow: number[] = [];
  readonly dispatcher: EventDispatcher<Pod>;
  #nextId = 0;

  constructor(runtime?: Runtime) {
    this.dispatcher = new EventDispatcher<Pod>({
      runtime: runtime ?? this.runtime,
      watchers: this.watchers,
      onSlow: ({ id }) => this.slow.push(id),
    });
  }

  watcher(options: WatcherOptions = {}): CacheWatcher<Pod> {
    const watcher = watcherOf({
      runtime: this.runtime,
      queueCapacity: 10,
      id: this.#nextId,
      onEnd: (ended) => {
        this.watchers.remove(ended);
      },
      ...options,
    });
    this.#nextId += 1;
    this.watchers.add(watcher);
    return watcher;
  }

  dispatch(from: number, to: number): void {
    for (let revision = from; revision <= to; revision += 1) {
      this.dispatcher.dispatch(change(revision, { to: pod(`p${revision}`) }));
    }
  }
}

describe('EventDispatcher', () => {
  it('has put a change into all queues when dispatch returns', async () => {
    const stage = new Stage();
    stage.watcher();
    stage.dispatch(1, 10);
    expect(stage.dispatcher.dispatchedRevision).to.equal(10n);
    expect(stage.dispatcher.busy).to.equal(false);
  });

  it('waits for full queues within the budget, without losing or reordering anything', async () => {
    const stage = new Stage();
    const recorders = [new WatchRecorder(stage.watcher()), new WatchRecorder(stage.watcher())];
    stage.dispatch(1, 500);
    expect(stage.dispatcher.busy).to.equal(true);
    await stage.runtime.settle();
    const expected = Array.from(
      { length: 500 },
      (_, index) => `ADDED shop/p${index + 1} @${index + 1}`,
    );
    for (const { lines } of recorders) expect(lines).to.deep.equal(expected);
    expect(stage.dispatcher.dispatchedRevision).to.equal(500n);
    expect(stage.slow).to.deep.equal([]);
  });

  it('terminates watchers that do not read, and delays the others by 100 ms once for all of them', async () => {
    const stage = new Stage();
    const stuck = Array.from({ length: 50 }, () => stage.watcher());
    const recorder = new WatchRecorder(stage.watcher());
    const arrivals: number[] = [];
    stage.dispatch(1, 22);
    while (recorder.events.length < 22 && stage.runtime.monotonicMs() < 1000) {
      await stage.runtime.advance(5);
      arrivals[recorder.events.length] = stage.runtime.monotonicMs();
    }
    expect(recorder.events).to.have.length(22);
    expect(stage.runtime.monotonicMs()).to.be.within(100, 105);
    expect(stage.slow).to.have.length(50);
    expect(stuck.every(({ ended }) => ended)).to.equal(true);
    expect(stage.watchers.size).to.equal(1);
  });

  it('lets a terminated watcher have what was queued for it, then ends it without an error', async () => {
    const stage = new Stage();
    const stuck = stage.watcher();
    stage.dispatch(1, 11);
    await stage.runtime.advance(100);
    const recorder = new WatchRecorder(stuck);
    await recorder.done;
    expect(recorder.lines.at(-1)).to.equal('ADDED shop/p10 @10');
    expect(recorder.events).to.have.length(10);
    expect(recorder.error).to.equal(undefined);
  });

  it('spends its budget once: the next slow watcher is terminated after what has accrued since', async () => {
    const stage = new Stage();
    stage.watcher();
    stage.dispatch(1, 11);
    await stage.runtime.advance(100);
    expect(stage.slow).to.deep.equal([0]);
    stage.watcher();
    stage.dispatch(12, 22);
    // 100 ms have accrued 5 ms.
    await stage.runtime.advance(4);
    expect(stage.slow).to.deep.equal([0]);
    await stage.runtime.advance(1);
    expect(stage.slow).to.deep.equal([0, 1]);
  });

  it('gives a reader its turn even when no budget is left', async () => {
    const stage = new Stage();
    stage.watcher();
    stage.dispatch(1, 11);
    await stage.runtime.advance(100);
    const recorder = new WatchRecorder(stage.watcher({ queueCapacity: 1 }));
    stage.dispatch(12, 100);
    await stage.runtime.settle();
    expect(stage.slow).to.deep.equal([0]);
    expect(recorder.events).to.have.length(89);
  });

  it('gives a reader its turn even when the timer of the budget is late, and therefore first', async () => {
    const virtual = new VirtualRuntime();
    const hasty: Runtime = {
      wallMs: () => virtual.wallMs(),
      monotonicMs: () => virtual.monotonicMs(),
      random: () => virtual.random(),
      queueTask: (task) => {
        virtual.queueTask(task);
      },
      setTimer: (_, callback) => {
        let cancelled = false;
        const fire = async (): Promise<void> => {
          await Promise.resolve();
          if (!cancelled) callback();
        };
        void fire();
        return {
          cancel: () => {
            cancelled = true;
          },
        };
      },
    };
    const stage = new Stage(hasty);
    const watcher = stage.watcher({ queueCapacity: 1 });
    let read = 0;
    const reader = async (): Promise<void> => {
      for await (const batch of watcher) {
        read += batch.length;
        await new Promise<void>((resolve) => virtual.queueTask(resolve));
      }
    };
    const reading = reader();
    stage.dispatch(1, 50);
    await virtual.settle();
    expect([read, stage.slow]).to.deep.equal([50, []]);
    watcher.destroy();
    await reading;
  });

  it('does not count undelivered changes as dispatched', async () => {
    const stage = new Stage();
    const stuck = stage.watcher();
    stage.dispatch(1, 15);
    stage.dispatcher.reach(20n);
    expect(stage.dispatcher.dispatchedRevision).to.equal(10n);
    const recorder = new WatchRecorder(stuck);
    await stage.runtime.settle();
    expect(recorder.events).to.have.length(15);
    expect(stage.dispatcher.dispatchedRevision).to.equal(20n);
  });

  it('holds the source back while 100 changes wait', async () => {
    const stage = new Stage();
    const stuck = stage.watcher();
    stage.dispatch(1, 110);
    expect(stage.dispatcher.waitForRoom()).to.equal(undefined);
    stage.dispatch(111, 111);
    const room = stage.dispatcher.waitForRoom();
    expect(room).to.be.instanceOf(Promise);
    const recorder = new WatchRecorder(stuck);
    await stage.runtime.run(async () => {
      await room;
    });
    await stage.runtime.settle();
    expect(recorder.events).to.have.length(111);
    expect(stage.dispatcher.waitForRoom()).to.equal(undefined);
  });

  it('drops what waits on a restart, and the wait of before does nothing after it', async () => {
    const stage = new Stage();
    const stuck = stage.watcher();
    stage.dispatch(1, 300);
    const room = stage.dispatcher.waitForRoom();
    stuck.end();
    stage.dispatcher.restart(7n);
    await room;
    expect([stage.dispatcher.busy, stage.dispatcher.dispatchedRevision]).to.deep.equal([false, 7n]);
    const next = stage.watcher();
    stage.dispatch(301, 315);
    await stage.runtime.settle();
    expect([stage.dispatcher.busy, stage.dispatcher.dispatchedRevision]).to.deep.equal([
      true,
      310n,
    ]);
    const recorder = new WatchRecorder(next);
    await stage.runtime.settle();
    expect(recorder.events).to.have.length(15);
    expect([stage.dispatcher.busy, stage.dispatcher.dispatchedRevision]).to.deep.equal([
      false,
      315n,
    ]);
  });
});
