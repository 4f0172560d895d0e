/**
 * A key in a worker's hands. While it is, the queue gives the key to no other worker.
 *
 * Every taken item has to be finished, however the work went: hold it in a `using` declaration or call `done` in a `finally`.
 */
export abstract class WorkItem<K> implements Disposable {
  readonly key: K;

  /** @internal */
  constructor(key: K) {
    this.key = key;
  }

  /** Gives the key back; it is queued again if it was added meanwhile. Calling again is harmless. */
  abstract done(): void;

  [Symbol.dispose](): void {
    this.done();
  }
}
