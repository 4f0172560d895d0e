import type { ObjectView } from '../../meta/object-view.ts';
import { Demand } from './demand.ts';
import { keptViewOf, type CacheKeeper, type CacheMemory } from './cache-keeper.ts';
import { DECODED_SHARE } from './decoded-objects.ts';
import { HeldSource, releasedHeld } from './held-source.ts';
import { RecentMetadata } from './recent-metadata.ts';
import { RecordCodec } from './record-codec.ts';
import { SlabArena } from './slab-arena.ts';
import type { KeptView } from './record.ts';

/**
 * Keeps bytes until somebody reads the object, and then the decoded object instead.
 *
 * Guarantees: an object is decoded at most once while it is in the cache; all who ask get the same one.
 */
export class ObjectsKeeper implements CacheKeeper {
  readonly demand: Demand = new Demand();
  readonly #metadata = new RecentMetadata();
  readonly #held = new HeldSource();
  readonly #arena: SlabArena;
  #decodedBytes = 0;

  constructor() {
    const metadata = this.#metadata;
    this.#arena = new SlabArena({
      codec: new RecordCodec({
        metadata,
        decoded: (view, object) => {
          this.#arena.take(view);
          this.#held.take(view, object);
          this.#decodedBytes += view.sizeBytes * DECODED_SHARE;
        },
      }),
      releasedCodec: new RecordCodec({
        metadata,
        decoded: (view, object) => {
          releasedHeld.take(view, object);
        },
      }),
      onGone: ({ released }) => {
        this.#metadata.letGo(released);
      },
    });
  }

  keep(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined || this.#has(view)) return;
    const { held } = view;
    if (held === undefined) {
      this.#arena.put(view, view.json, view.places);
    } else {
      this.#held.take(view, held);
      this.#decodedBytes += view.sizeBytes * DECODED_SHARE;
    }
  }

  release(object: ObjectView, why: 'left' | 'unused'): void {
    const view = keptViewOf(object);
    if (view === undefined) return;
    if (this.#arena.has(view)) {
      this.#arena.release(view, why === 'unused' ? 'body' : this.demand.readable);
    } else if (view.source === this.#held) {
      view.moveTo(releasedHeld, 0);
      this.#decodedBytes -= view.sizeBytes * DECODED_SHARE;
    }
  }

  hold(): () => void {
    return this.demand.begin('body');
  }

  inspect(): CacheMemory {
    const { liveBytes, slabBytes } = this.#arena;
    return { mode: 'objects', liveBytes, slabBytes, decodedBytes: this.#decodedBytes };
  }

  close(): void {
    this.#metadata.clear();
    this.#arena.trim();
  }

  #has(view: KeptView): boolean {
    return view.source === this.#held || this.#arena.has(view);
  }
}
