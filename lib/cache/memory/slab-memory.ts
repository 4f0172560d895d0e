import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { singleBudget, type ResolvedCacheOptions } from './cache-options.ts';
import { DECODED_SHARE, DecodedObjects } from './decoded-objects.ts';
import { HeldSource, releasedHeld } from './views/held-source.ts';
import { copyOf, keptViewOf, type KeptView } from './views/kept-view.ts';
import type { CacheMemory, DeferredReleases, ObjectMemory } from './object-memory.ts';
import { RecentMetadata, RecordCodec } from './slabs/record-codec.ts';
import { noteRead, hasLeft, noteLeft, noteReleased } from './slabs/record.ts';
import { Retention } from './slabs/detached.ts';
import { SlabArena } from './slabs/slab-arena.ts';

/**
 * Keeps the bytes of objects in slabs, and decoded objects within a budget.
 *
 * Guarantees, without a limit for decoded objects: an object is decoded at most once while it is in the cache, and all readers
 * get the same one. It takes the place of its bytes.
 */
export class SlabMemory implements ObjectMemory {
  readonly #mode: CacheMemory['mode'];
  readonly #retention = new Retention();
  readonly #metadata = new RecentMetadata();
  /** Undefined when there is no limit. */
  readonly #decoded: DecodedObjects | undefined;
  /** Where views lie that hold their objects and have no bytes. */
  readonly #held = new HeldSource();
  /** Reads what has left. */
  readonly #releasedCodec: RecordCodec;
  readonly #arena: SlabArena;
  #heldBytes = 0;
  /** Undefined unless releases are deferred. */
  #left: LeftObjects | undefined;

  constructor(options: ResolvedCacheOptions) {
    this.#mode = options.mode;
    const budget = singleBudget(options);
    const decoded = budget === Infinity ? undefined : new DecodedObjects(budget);
    this.#decoded = decoded;
    const metadata = this.#metadata;
    this.#releasedCodec = new RecordCodec({
      metadata,
      decoded: (view, object) => {
        releasedHeld.take(view, object);
      },
    });
    this.#arena = new SlabArena({
      codec: new RecordCodec({
        metadata,
        known: (view) => decoded?.get(view),
        decoded: (view, object) => {
          if (decoded !== undefined) {
            decoded.add(view, object, noteRead(view));
            return;
          }
          if (this.#left === undefined) {
            this.#arena.take(view);
            this.#hold(view, object);
          } else {
            this.#holdBeside(view, object);
          }
        },
      }),
      releasedCodec: this.#releasedCodec,
      onGone: ({ released }) => {
        this.#metadata.letGo(released);
      },
    });
  }

  retain<V extends ObjectView>(object: V): V {
    const view = keptViewOf(object);
    if (view === undefined) return object;
    if (this.#has(view)) {
      this.#left?.returned(view);
      return object;
    }
    if (this.#isForeign(view)) return this.retain(copyOf(object, view));
    const { held } = view;
    const unlimited = this.#decoded === undefined && this.#left === undefined;
    // An object that left the cache decoded and is stored again has no bytes any more.
    if (held !== undefined && (unlimited || view.source === releasedHeld)) {
      this.#hold(view, held);
      return object;
    }
    this.#arena.put(view, view.json, view.places);
    if (held === undefined) return object;
    if (this.#decoded === undefined) {
      this.#holdBeside(view, held);
      return object;
    }
    view.hold(undefined);
    this.#decoded.add(view, held, false);
    return object;
  }

  release(object: ObjectView, why: 'left' | 'unused'): void {
    const view = keptViewOf(object);
    if (view === undefined || !this.#has(view)) return;
    // A view that holds its object needs no bytes.
    const deferred = why === 'left' && view.source !== this.#held ? this.#left : undefined;
    if (deferred === undefined) this.#release(view, why);
    else deferred.left(object, view);
  }

  deferReleases(onLeft: (object: ObjectView) => void): DeferredReleases | undefined {
    if (this.#left !== undefined) return undefined;
    const left = new LeftObjects({
      onLeft,
      isIn: (view) => this.#arena.has(view),
      release: (view) => this.#release(view, 'left'),
      onEnd: () => {
        this.#left = undefined;
      },
    });
    this.#left = left;
    return left;
  }

  #release(view: KeptView, why: 'left' | 'unused'): void {
    if (view.source === this.#held) {
      this.#heldBytes -= view.sizeBytes * DECODED_SHARE;
      view.moveTo(releasedHeld, 0);
      return;
    }
    this.#decoded?.release(view);
    if (view.held === undefined) {
      this.#arena.release(view, why === 'unused' ? 'body' : this.#retention.readable);
      return;
    }
    if (this.#decoded === undefined) this.#heldBytes -= view.sizeBytes * DECODED_SHARE;
    // A reader of the view has the decoded object, and does not need the bytes.
    this.#arena.take(view);
    releasedHeld.take(view, view.held);
  }

  pin(what: 'metadata' | 'body'): Disposable {
    return this.#retention.pin(what);
  }

  inspect(): CacheMemory {
    const { liveBytes, slabBytes } = this.#arena;
    const decodedBytes = this.#heldBytes + (this.#decoded?.bytes ?? 0);
    const { readable: retention } = this.#retention;
    return { mode: this.#mode, liveBytes, slabBytes, decodedBytes, retention };
  }

  destroy(): void {
    this.#decoded?.clear();
    this.#metadata.clear();
    this.#arena.close();
  }

  #has(view: KeptView): boolean {
    return view.source === this.#held || this.#arena.has(view);
  }

  /** Whether it lies in another cache, or has left one. */
  #isForeign({ source }: KeptView): boolean {
    const { codec } = source;
    return codec !== undefined && codec !== this.#releasedCodec && source !== releasedHeld;
  }

  /** The object takes the place of its bytes. */
  #hold(view: KeptView, object: KubernetesObject): void {
    this.#held.take(view, object);
    this.#heldBytes += view.sizeBytes * DECODED_SHARE;
  }

  /** While releases are deferred, the bytes stay as they were received. */
  #holdBeside(view: KeptView, object: KubernetesObject): void {
    view.hold(object);
    this.#heldBytes += view.sizeBytes * DECODED_SHARE;
  }
}

export interface LeftObjectsOptions {
  readonly onLeft: (object: ObjectView) => void;
  /** Whether the view lies in a slab of the cache. */
  readonly isIn: (view: KeptView) => boolean;
  readonly release: (view: KeptView) => void;
  /** Objects are released at once again. */
  readonly onEnd: () => void;
}

/** The objects that have left a cache and are not released yet. Their records are marked. */
export class LeftObjects implements DeferredReleases {
  readonly #options: LeftObjectsOptions;
  /** Those that are stored again. */
  readonly #stored = new Set<KeptView>();
  /** Those that have left again: how many releases are still to come, more than one. */
  readonly #again = new Map<KeptView, number>();

  constructor(options: LeftObjectsOptions) {
    this.#options = options;
  }

  /** `view`: of the object, in a slab. */
  left(object: ObjectView, view: KeptView): void {
    if (noteLeft(view)) {
      this.#stored.delete(view);
      this.#again.set(view, (this.#again.get(view) ?? 1) + 1);
    }
    this.#options.onLeft(object);
  }

  /** It is stored, perhaps again. */
  returned(view: KeptView): void {
    if (this.#options.isIn(view) && hasLeft(view)) this.#stored.add(view);
  }

  release(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined || !this.#options.isIn(view) || !hasLeft(view)) return;
    const count = this.#again.size === 0 ? 1 : (this.#again.get(view) ?? 1);
    if (count > 1) {
      if (count > 2) this.#again.set(view, count - 1);
      else this.#again.delete(view);
      return;
    }
    noteReleased(view);
    if (!this.#stored.delete(view)) this.#options.release(view);
  }

  [Symbol.dispose](): void {
    this.#options.onEnd();
  }
}
