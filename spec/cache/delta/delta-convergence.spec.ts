import { expect } from 'chai';
import { DeltaFIFO, type DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import { DeltaProcessor } from '../../../lib/cache/collection/delta-processor.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import type { Pod } from '../support/objects.ts';
import { at } from './delta-support.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** A queue between a cluster that changes at random and a store, of which a handler keeps its own picture. */
class World {
  readonly random: () => number;
  readonly cluster = new Map<string, Pod>();
  readonly store = new ThreadSafeStore<Pod>();
  readonly notified = new Map<string, Pod>();
  readonly wrong: string[] = [];
  readonly fifo: DeltaFIFO<Pod>;
  readonly #processor: DeltaProcessor<Pod>;
  #version = 0;

  constructor(seed: string, order: DeltaOrder) {
    this.random = seededRandom(seed);
    const { store } = this;
    this.fifo = new DeltaFIFO<Pod>({ order, knownObjects: store });
    const overlay = new WriteOverlay({ store });
    this.#processor = new DeltaProcessor({
      objects: new StoredObjects({ store }),
      overlay,
      ordered: order === 'arrival',
    });
  }

  upTo(most: number): number {
    return randomInteger(this, 0, most);
  }

  /** Creates, changes, deletes, or replaces by a namesake; returns what a watch would say. */
  change(): void {
    const name = NAMES[this.upTo(NAMES.length - 1)]!;
    const old = this.cluster.get(name);
    this.#version += 1;
    const uid = old === undefined || this.random() < 0.1 ? `${name}${this.#version}` : undefined;
    const next = at(name, String(this.#version));
    const object = { ...next, metadata: { ...next.metadata, uid: uid ?? old!.metadata.uid! } };
    if (old !== undefined && this.random() < 0.3) this.cluster.delete(name);
    else this.cluster.set(name, object);
  }

  watched(): void {
    const before = new Map(this.cluster);
    this.change();
    for (const name of NAMES) {
      const [old, now] = [before.get(name), this.cluster.get(name)];
      if (old === now) continue;
      if (now === undefined) this.fifo.delete(old!);
      else if (old === undefined) this.fifo.add(now);
      else this.fifo.update(now);
    }
  }

  relist(): void {
    const items = [...this.cluster.values()];
    this.fifo.replace(this.random() < 0.5 ? items : items.toReversed(), String(this.#version));
  }

  pop(): void {
    this.fifo.popBatch(1 + this.upTo(4), (deltas, info) => {
      for (const { notifications } of this.#processor.process(deltas, info)) {
        for (const { type, key, object, ...rest } of notifications) {
          const known = this.notified.get(key);
          if ((type === 'add') !== (known === undefined) && type !== 'delete') {
            this.wrong.push(`${type} of ${key}`);
          }
          if ('old' in rest && rest.old !== known) this.wrong.push(`another old state of ${key}`);
          if (type === 'delete') this.notified.delete(key);
          else this.notified.set(key, object);
        }
      }
    });
  }
}

describe('The store behind a DeltaFIFO, and the events of its handlers', () => {
  for (const order of ['arrival', 'key'] as const) {
    it(`end where the cluster ends, with any missed events and any timing (${order})`, () => {
      for (let seed = 0; seed < 300; seed += 1) {
        const world = new World(`${order} ${seed}`, order);
        const steps: readonly (() => void)[] = [
          () => world.watched(),
          () => world.watched(),
          () => world.change(),
          () => world.relist(),
          () => world.fifo.resync(),
          () => world.pop(),
          () => world.pop(),
        ];
        world.relist();
        for (let step = 0; step < 60; step += 1) steps[world.upTo(steps.length - 1)]!();
        world.relist();
        while (world.fifo.size > 0) world.pop();
        const cluster = Object.fromEntries(world.cluster);
        expect(world.wrong, `seed ${seed}`).to.deep.equal([]);
        expect(Object.fromEntries(world.store.entries()), `seed ${seed}`).to.deep.equal(cluster);
        expect(Object.fromEntries(world.notified), `seed ${seed}`).to.deep.equal(cluster);
        expect(world.fifo.synced, `seed ${seed}`).to.equal(true);
      }
    });
  }
});
