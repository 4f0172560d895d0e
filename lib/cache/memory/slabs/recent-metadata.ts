import type { ByteSource } from '../../../meta/json/json-view.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import type { KeptView } from '../views/kept-view.ts';

/** Enough for the handlers of an informer, which process the same batches at different times. */
const CAPACITY = 1024;

/** The metadata read last, so that it is parsed once for a hundred handlers that read labels. */
export class RecentMetadata {
  readonly #metadata = new Map<KeptView, ObjectMeta>();

  get(view: KeptView): ObjectMeta | undefined {
    return this.#metadata.get(view);
  }

  add(view: KeptView, metadata: ObjectMeta): void {
    if (this.#metadata.size === CAPACITY) this.#dropOldest();
    this.#metadata.set(view, metadata);
  }

  /** Drops the reference to these bytes. */
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
