import type { ByteSource } from '../../meta/json/json-view.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import type { KeptView } from './kept-view.ts';

/** Enough for the handlers of an informer, each of which is told of a batch after the other. */
const CAPACITY = 1024;

/** Metadata that was read last, so that a hundred handlers that look at labels have it parsed once. */
export class RecentMetadata {
  readonly #metadata = new Map<KeptView, ObjectMeta>();

  get(view: KeptView): ObjectMeta | undefined {
    return this.#metadata.get(view);
  }

  add(view: KeptView, metadata: ObjectMeta): void {
    if (this.#metadata.size === CAPACITY) this.#dropOldest();
    this.#metadata.set(view, metadata);
  }

  /** Nothing shall keep these bytes in memory any longer. */
  letGo(source: ByteSource): void {
    for (const view of this.#metadata.keys()) {
      if (view.source === source) this.#metadata.delete(view);
    }
  }

  clear(): void {
    this.#metadata.clear();
  }

  #dropOldest(): void {
    for (const view of this.#metadata.keys()) {
      this.#metadata.delete(view);
      return;
    }
  }
}
