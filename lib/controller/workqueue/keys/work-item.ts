/**
 * A key that a worker has taken. Until it is done, no other worker gets the same key.
 *
 * Every taken item must be finished, also after an error: use a `using` declaration, or call `done` in a `finally`.
 */
export abstract class WorkItem<K> implements Disposable {
  readonly key: K;
  /** The highest priority with which the key was added; its retry keeps it. */
  readonly priority: number;

  /** @internal */
  constructor(key: K, priority: number) {
    this.key = key;
    this.priority = priority;
  }

  /** Returns the key; it is queued again if it was added meanwhile. Further calls have no effect. */
  abstract done(): void;

  [Symbol.dispose](): void {
    this.done();
  }
}
