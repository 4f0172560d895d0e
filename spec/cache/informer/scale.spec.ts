import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { metadataIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { realRuntime } from '../../../lib/kernel/real-runtime.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { HANG_MS } from '../../support/until.ts';
import { CountingSource } from '../support/counting-source.ts';
import { pod, type Pod } from '../support/objects.ts';

/** Work of this kind may take this many times as long per event among 50 times as many objects. */
const MOST_GROWTH = 6;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    realRuntime.queueTask(resolve);
  });
}

/** An informer over `objects` pods with `handlers` handlers that count. */
class Crowd {
  readonly source: ScriptedListerWatcher<Pod>;
  readonly counting: CountingSource<Pod>;
  readonly informer: SharedIndexInformer<Pod>;
  /** Callbacks so far. */
  calls = 0;

  constructor(objects: number, handlers: number) {
    this.source = new ScriptedListerWatcher<Pod>({
      supportsWatchList: false,
      historySize: 100,
      objects: Array.from({ length: objects }, (_, index) => numbered(index)),
    });
    this.counting = new CountingSource(this.source);
    this.informer = new SharedIndexInformer<Pod>({
      listerWatcher: this.counting,
      pageSize: 0,
      watchList: false,
      indexers: { byTeam: metadataIndexFunc(({ labels }) => [labels?.['team'] ?? '']) },
    });
    const count = (): void => {
      this.calls += 1;
    };
    for (let index = 0; index < handlers; index += 1) {
      this.informer.addHandler({ view: 'metadata', onAdd: count, onUpdate: count });
    }
  }

  /** Waits until the handlers were called `calls` times; returns the turns of the event loop that took. */
  async called(calls: number): Promise<number> {
    const deadlineMs = realRuntime.monotonicMs() + HANG_MS;
    let turns = 0;
    while (this.calls < calls && realRuntime.monotonicMs() < deadlineMs) {
      await nextTurn();
      turns += 1;
    }
    expect(this.calls).to.equal(calls);
    return turns;
  }

  /** Milliseconds of processor time for each of `count` updates, one at a time. */
  async costOfUpdates(count: number): Promise<number> {
    const before = process.cpuUsage();
    for (let index = 0; index < count; index += 1) {
      const callsBefore = this.calls;
      this.source.modify(numbered(index));
      await this.called(callsBefore + this.informer.inspect().handlers.length);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / count;
  }
}

function numbered(index: number): Pod {
  return pod(`ns${index % 50}/pod-${index}`, { labels: { team: `team-${index % 1000}` } });
}

describe('an informer of many objects and handlers', () => {
  it('syncs 100 000 objects to ten handlers in slices, without decoding one', async () => {
    const crowd = new Crowd(100_000, 10);
    const running = crowd.informer.run();
    await crowd.informer.whenSynced({ timeoutMs: HANG_MS });
    const turns = await crowd.called(1_000_000);
    expect(turns).to.be.greaterThan(50);
    expect(crowd.counting.decoded).to.equal(0);
    expect(crowd.informer.indexer.indexKeys('byTeam', 'team-7')).to.have.length(100);
    expect(crowd.informer.lister.namespace('ns7').list()).to.have.length(2000);
    expect(crowd.counting.decoded).to.equal(2000);
    await crowd.informer.close();
    await running;
  });

  it('tells 100 handlers of a change at a cost that does not grow with the objects', async () => {
    const costs: number[] = [];
    for (const objects of [500, 25_000]) {
      const crowd = new Crowd(objects, 100);
      const running = crowd.informer.run();
      await crowd.called(objects * 100);
      await crowd.costOfUpdates(100);
      costs.push(await crowd.costOfUpdates(300));
      await crowd.informer.close();
      await running;
    }
    const [few = 0, many = 0] = costs;
    expect(many).to.be.below(Math.max(few, 0.2) * MOST_GROWTH);
  });

  it('lets 100 handlers join 50 000 objects at the cost of one snapshot', async () => {
    const crowd = new Crowd(50_000, 0);
    const running = crowd.informer.run();
    await crowd.informer.whenSynced({ timeoutMs: HANG_MS });
    const before = process.cpuUsage();
    const registrations = Array.from({ length: 100 }, () =>
      crowd.informer.addHandler({ onAdd: () => {} }),
    );
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).to.be.below(500);
    const pending = registrations.map((registration) => registration.pending);
    expect(new Set(pending)).to.deep.equal(new Set([50_000]));
    await crowd.informer.close();
    await running;
  });
});
