import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { keptViewOf, type CacheKeeper, type CacheMemory } from './cache-keeper.ts';
import { singleBudget, type ResolvedCacheOptions } from './cache-options.ts';
import { DECODED_SHARE, DecodedObjects } from './decoded-objects.ts';
import { Demand } from './demand.ts';
import { HeldSource, releasedHeld } from './held-source.ts';
import { RecentMetadata } from './recent-metadata.ts';
import { noteRead, type KeptView } from './record.ts';
import { RecordCodec } from './record-codec.ts';
import { SlabArena } from './slab-arena.ts';

/**
 * Keeps the bytes of objects in slabs, and decoded objects within a budget.
 *
 * Guarantees, without a limit for decoded objects: an object is decoded at most once while it is in the cache, and all readers
 * get the same one. It takes the place of its bytes.
 */
export class SlabMemory implements CacheKeeper {
  readonly demand: Demand = new Demand();
  readonly #options: ResolvedCacheOptions;
  readonly #metadata = new RecentMetadata();
  /** Undefined when there is no limit. */
  readonly #decoded: DecodedObjects | undefined;
  /** Where views lie that hold their objects and have no bytes. */
  readonly #held = new HeldSource();
  readonly #arena: SlabArena;
  #heldBytes = 0;

  constructor(options: ResolvedCacheOptions) {
    this.#options = options;
    const budget = singleBudget(options);
    const decoded = budget === Infinity ? undefined : new DecodedObjects(budget);
    this.#decoded = decoded;
    const metadata = this.#metadata;
    this.#arena = new SlabArena({
      codec: new RecordCodec({
        metadata,
        known: (view) => decoded?.get(view),
        decoded: (view, object) => {
          if (decoded !== undefined) {
            decoded.add(view, object, noteRead(view));
            return;
          }
          this.#arena.take(view);
          this.#holdDecoded(view, object);
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
    if (view === undefined || view.source === this.#held || this.#arena.has(view)) return;
    const { held } = view;
    // The bytes of an object that has left, decoded, and comes back are gone.
    if (held !== undefined && (this.#decoded === undefined || view.source === releasedHeld)) {
      this.#holdDecoded(view, held);
      return;
    }
    this.#arena.put(view, view.json, view.places);
    if (held === undefined) return;
    view.hold(undefined);
    this.#decoded?.add(view, held, false);
  }

  release(object: ObjectView, why: 'left' | 'unused'): void {
    const view = keptViewOf(object);
    if (view === undefined) return;
    if (view.source === this.#held) {
      this.#heldBytes -= view.sizeBytes * DECODED_SHARE;
      view.moveTo(releasedHeld, 0);
      return;
    }
    if (!this.#arena.has(view)) return;
    this.#decoded?.release(view);
    if (view.held === undefined) {
      this.#arena.release(view, why === 'unused' ? 'body' : this.demand.readable);
      return;
    }
    // A reader that has the view has the object, and does not need the bytes.
    this.#arena.take(view);
    releasedHeld.take(view, view.held);
  }

  hold(): () => void {
    return this.demand.begin('body');
  }

  inspect(): CacheMemory {
    const { liveBytes, slabBytes } = this.#arena;
    const decodedBytes = this.#heldBytes + (this.#decoded?.bytes ?? 0);
    return { mode: this.#options.mode, liveBytes, slabBytes, decodedBytes };
  }

  close(): void {
    this.#decoded?.clear();
    this.#metadata.clear();
    this.#arena.trim();
  }

  #holdDecoded(view: KeptView, object: KubernetesObject): void {
    this.#held.take(view, object);
    this.#heldBytes += view.sizeBytes * DECODED_SHARE;
  }
}
