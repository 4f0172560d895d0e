import { WorkItem } from './work-item.ts';

/** The place of an item that is done. */
export const NOWHERE = -1;

/** A key as a worker got it: made when it is handed out, and of no more use when it is done. */
export class TakenItem<K> extends WorkItem<K> {
  /** The slot of its key in the queue's `KeyTable`. */
  slot: number;
  /** Among those in workers' hands. */
  place: number = NOWHERE;
  readonly #finish: (item: TakenItem<K>) => void;

  constructor(key: K, slot: number, finish: (item: TakenItem<K>) => void) {
    super(key);
    this.slot = slot;
    this.#finish = finish;
  }

  done(): void {
    if (this.place !== NOWHERE) this.#finish(this);
  }
}
