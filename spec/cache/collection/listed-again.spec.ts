import { expect } from 'chai';
import type { CacheMode } from '../../../lib/cache/memory/object-memory.ts';
import { resolveCacheOptions } from '../../../lib/cache/memory/cache-options.ts';
import { SlabMemory } from '../../../lib/cache/memory/slab-memory.ts';
import { DeltaFIFO, type DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import { DeltaProcessor } from '../../../lib/cache/collection/delta-processor.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { podOf, viewOf } from '../memory/kept-views.ts';
import { releaseDisplaced } from '../support/recording-memory.ts';

const KEY = 'ns-1/pod-1';

/** A queue and the store behind it, without a reader of bodies. */
class Cache {
  readonly memory: SlabMemory;
  readonly store: ThreadSafeStore<ObjectView>;
  readonly fifo: DeltaFIFO<ObjectView>;
  readonly #objects: StoredObjects<ObjectView>;
  readonly #processor: DeltaProcessor<ObjectView>;

  constructor(mode: CacheMode, order: DeltaOrder) {
    const memory = new SlabMemory(resolveCacheOptions('Cache', mode));
    this.memory = memory;
    this.store = new ThreadSafeStore<ObjectView>();
    const { store } = this;
    const overlay = new WriteOverlay({ store });
    this.#objects = new StoredObjects({ store, memory });
    const objects = this.#objects;
    this.#processor = new DeltaProcessor({ objects, overlay, ordered: order === 'arrival' });
    this.fifo = new DeltaFIFO<ObjectView>({
      order,
      knownObjects: store,
      consumer: objects,
    });
    this.fifo.replace([viewOf(podOf(1, 5))], '5');
    this.apply();
  }

  apply(): void {
    this.fifo.pop((deltas, info) => this.#processor.process(deltas, info));
    releaseDisplaced(this.#objects);
    if (this.fifo.size > 0) this.apply();
  }
}

for (const order of ['arrival', 'key'] as const) {
  for (const mode of ['objects', 'bytes'] as const) {
    describe(`an object that has left and is listed again, in the order of ${order}, in a cache of ${mode}`, () => {
      for (const when of ['before the list is complete', 'when the list waits'] as const) {
        it(`is read as a whole though it left ${when}`, () => {
          const cache = new Cache(mode, order);
          const { fifo, store, memory } = cache;
          memory.pin('metadata');
          const stored = store.get(KEY);
          const relist = fifo.beginRelist();
          relist.add([viewOf(podOf(1, 5))]);
          // Of something else, so that it is not the next item with which the object leaves.
          fifo.update(viewOf(podOf(2, 6)));
          if (when === 'before the list is complete') cache.apply();
          fifo.update(viewOf(podOf(1, 7)));
          if (when === 'before the list is complete') cache.apply();
          relist.commit('5');
          cache.apply();
          expect(store.get(KEY)).to.equal(stored);
          expect(store.get(KEY)?.object).to.deep.equal(podOf(1, 5));
          expect(memory.inspect().retention).to.equal('metadata');
        });
      }

      it('takes no body along once no list is to be expected', () => {
        const cache = new Cache(mode, order);
        const { fifo, store, memory } = cache;
        memory.pin('metadata');
        const relist = fifo.beginRelist();
        relist.add([viewOf(podOf(1, 5))]);
        relist.discard();
        fifo.update(viewOf(podOf(1, 6)));
        cache.apply();
        expect(memory.inspect().retention).to.equal('metadata');
        const left = store.get(KEY);
        fifo.update(viewOf(podOf(1, 7)));
        cache.apply();
        expect(left?.metadata).to.deep.equal(podOf(1, 6).metadata);
        expect(() => left?.object)
          .to.throw('has left the cache')
          .with.property('code', 'OBJECT_RELEASED');
      });
    });
  }
}
