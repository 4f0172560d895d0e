import { WorkItem } from './work-item.ts';

/** The place of a finished item. */
export const NOWHERE = -1;

/** A key as a worker receives it. It is created when the key is taken, and must not be used after it is done. */
export class TakenItem<K> extends WorkItem<K> {
  /** The slot of its key in the queue's `KeyTable`. */
  slot: number;
  /** Its index among the items in work. */
  place: number = NOWHERE;
  readonly #finish: (item: TakenItem<K>) => void;

  constructor(key: K, priority: number, slot: number, finish: (item: TakenItem<K>) => void) {
    super(key, priority);
    this.slot = slot;
    this.#finish = finish;
  }

  done(): void {
    if (this.place !== NOWHERE) this.#finish(this);
  }
}
