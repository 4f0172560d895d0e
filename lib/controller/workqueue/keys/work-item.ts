/**
 * A key that a worker has taken. Until it is done, no other worker gets the same key.
 *
 * Every taken item must be finished, also after an error: use a `using` declaration, or call `done` in a `finally`.
 */
export abstract class WorkItem<K> implements Disposable {
  readonly key: K;

  /** @internal */
  constructor(key: K) {
    this.key = key;
  }

  /** Returns the key; it is queued again if it was added meanwhile. Further calls have no effect. */
  abstract done(): void;

  [Symbol.dispose](): void {
    this.done();
  }
}
