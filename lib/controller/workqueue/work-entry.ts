import { WorkItem } from './work-item.ts';

/** The place of an entry that is in nobody's hands. */
export const NOWHERE = -1;

/**
 * A key on its way through the queue, once: made when it is added, handed out as the item, and gone when that is done. All
 * that the queue knows of the key is here, so that it is looked up three times on the whole way.
 */
export class WorkEntry<K> extends WorkItem<K> {
  /** When it was added, or added again, milliseconds. */
  addedAtMs: number;
  /** Among those in workers' hands. */
  place: number = NOWHERE;
  /** It was added while a worker had it. */
  addedAgain = false;
  readonly #finish: (entry: WorkEntry<K>) => void;

  constructor(key: K, addedAtMs: number, finish: (entry: WorkEntry<K>) => void) {
    super(key);
    this.addedAtMs = addedAtMs;
    this.#finish = finish;
  }

  done(): void {
    if (this.place !== NOWHERE) this.#finish(this);
  }
}
