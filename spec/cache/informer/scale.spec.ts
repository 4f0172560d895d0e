import { expect } from 'chai';
import type { HandlerRegistration } from '../../../lib/cache/informer/handlers/handler-registration.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { metadataIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { HANG_MS } from '../../support/until.ts';
import { iterationSteps } from '../support/iteration-steps.ts';
import { CountingSource } from '../support/counting-source.ts';
import { pod, type Pod } from '../support/objects.ts';

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
  /** Calls of the index function so far. */
  indexed = 0;

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
      indexers: {
        byTeam: metadataIndexFunc(({ labels }) => {
          this.indexed += 1;
          return [labels?.['team'] ?? ''];
        }),
      },
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

  /** Carries out `count` updates, one at a time. Returns the items that were looked at, and the calls of the index function. */
  async costOfUpdates(count: number): Promise<readonly [steps: number, indexed: number]> {
    const handlers = this.informer.inspect().handlers.length;
    const indexedBefore = this.indexed;
    const steps = await iterationSteps(async () => {
      for (let index = 0; index < count; index += 1) {
        const callsBefore = this.calls;
        this.source.modify(numbered(index));
        await this.called(callsBefore + handlers);
      }
    });
    return [steps, this.indexed - indexedBefore];
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

  it('delivers a change to 100 handlers at a cost that does not grow with the objects', async () => {
    const costs: (readonly [steps: number, indexed: number])[] = [];
    for (const objects of [500, 25_000]) {
      const crowd = new Crowd(objects, 100);
      const running = crowd.informer.run();
      await crowd.called(objects * 100);
      costs.push(await crowd.costOfUpdates(50));
      await crowd.informer.close();
      await running;
    }

    expect(costs[1]).to.deep.equal(costs[0]);
  });

  it('lets 100 handlers join 50 000 objects at the cost of one snapshot', async () => {
    const crowd = new Crowd(50_000, 0);
    const running = crowd.informer.run();
    await crowd.informer.whenSynced({ timeoutMs: HANG_MS });
    const registrations: HandlerRegistration[] = [];
    const join = (): unknown => registrations.push(crowd.informer.addHandler({ onAdd: () => {} }));
    const first = await iterationSteps(join);
    expect(first).to.be.within(50_000, 100_000);
    const others = await iterationSteps(() => {
      for (let count = 1; count < 100; count += 1) join();
    });

    expect(others).to.be.below(50_000);
    const pending = registrations.map((registration) => registration.pending);
    expect(new Set(pending)).to.deep.equal(new Set([50_000]));
    await crowd.informer.close();
    await running;
  });
});
