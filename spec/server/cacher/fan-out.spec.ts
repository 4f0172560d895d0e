import { expect } from 'chai';
import { CacherHarness, line, pod, podKey, PREFIX, selecting, type Pod } from './cacher-harness.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import type { SelectionPredicate } from '../../../lib/server/storage/contract/selection-predicate.ts';
import type { StoredObject } from '../../../lib/server/storage/contract/stored-object.ts';

const WATCHERS = 1000;

/** A thousand watchers of one cacher, and a sink for what they get. */
class Crowd {
  readonly harness: CacherHarness;
  delivered = 0;
  readonly #onEvent: (event: WatchEvent<StoredObject<Pod>>) => void;

  constructor(harness: CacherHarness, onEvent: (event: WatchEvent<StoredObject<Pod>>) => void) {
    this.harness = harness;
    this.#onEvent = onEvent;
  }

  async join(predicateOf: (index: number) => SelectionPredicate<Pod> | undefined): Promise<void> {
    const { cacher, runtime } = this.harness;
    await runtime.run(async () => {
      for (let index = 0; index < WATCHERS; index += 1) {
        const watch = await cacher.watch(PREFIX, { predicate: predicateOf(index) });
        void this.#read(watch);
      }
    });
  }

  /** Creates pods, each on another of the nodes n0, n1, … */
  async createPods(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const name = `p${index}`;
      await this.harness.raw.create(podKey(name), pod(name, { node: `n${index % WATCHERS}` }));
      if (index % 50 === 49) await this.harness.runtime.settle();
    }
    await this.harness.runtime.settle();
  }

  async #read(watch: AsyncIterable<readonly WatchEvent<StoredObject<Pod>>[]>): Promise<void> {
    for await (const batch of watch) {
      this.delivered += batch.length;
      batch.forEach(this.#onEvent);
    }
  }
}

describe('fan-out of the watch cache to 1,000 watchers', () => {
  let harness: CacherHarness;
  beforeEach(() => {
    harness = new CacherHarness();
  });
  afterEach(async () => {
    await harness.stop();
  });

  it('delivers 2,000 changes to every watcher, each made and encoded once', async () => {
    const events = new Set<WatchEvent<StoredObject<Pod>>>();
    const encodings = new Set<Uint8Array>();
    const crowd = new Crowd(harness, (event) => {
      if (events.has(event)) return;
      events.add(event);
      if (event.type !== 'BOOKMARK') encodings.add(event.object.bytes);
    });
    await crowd.join(() => undefined);
    await crowd.createPods(2000);
    expect(crowd.delivered).to.equal(2000 * WATCHERS);
    expect([events.size, encodings.size]).to.deep.equal([2000, 2000]);
    expect(harness.cacher.status.watcherCount).to.equal(WATCHERS);
  });

  it('asks no watcher about a change of another node than its own', async () => {
    let attributesRead = 0;
    const counting = (node: string): SelectionPredicate<Pod> => ({
      ...selecting('', `spec.nodeName=${node}`),
      attributesOf: countedAttributesOf,
    });
    const { attributesOf } = selecting('');
    const countedAttributesOf = (object: Pod): ReturnType<typeof attributesOf> => {
      attributesRead += 1;
      return attributesOf(object);
    };
    const lines = new Set<string>();
    const crowd = new Crowd(harness, (event) => lines.add(line(event)));
    await crowd.join((index) => counting(`n${index}`));
    await crowd.createPods(1000);
    expect(crowd.delivered).to.equal(1000);
    expect(lines.size).to.equal(1000);
    // One reading a version of an object, not one a watcher.
    expect(attributesRead).to.equal(1000);
  });
});
