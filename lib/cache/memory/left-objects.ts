import type { ObjectView } from '../../meta/object-view.ts';
import { keptViewOf, type KeptView } from './views/kept-view.ts';
import type { DeferredReleases } from './object-memory.ts';
import { hasLeft, noteLeft, noteReleased } from './slabs/record.ts';

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
