/**
 * A key in a worker's hands. While it is, the queue gives the key to nobody else.
 *
 * Every taken item has to be finished, however the work went: hold it in a `using` declaration or call `done` in a `finally`.
 */
export class WorkItem<K> implements Disposable {
  readonly key: K;
  #finish: ((key: K) => void) | undefined;

  /** @internal */
  constructor(key: K, finish: (key: K) => void) {
    this.key = key;
    this.#finish = finish;
  }

  /** Gives the key back; it is queued again if it was added meanwhile. Calling again is harmless. */
  done(): void {
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(this.key);
  }

  [Symbol.dispose](): void {
    this.done();
  }
}
