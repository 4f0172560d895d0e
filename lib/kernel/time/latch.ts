/** A named event that happens at most once and can be awaited any number of times. Memory: a promise and a set of listeners are made when they are first asked for. */
export class Latch {
  /** Names the awaited event, e.g. `initial list of pods`. */
  readonly name: string;
  #listeners: Set<() => void> | undefined;
  #isOpen = false;
  #opened: Deferred<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when opened; never rejects, so it needs no handler. */
  get opened(): Promise<void> {
    if (this.#opened === undefined) {
      this.#opened = deferred();
      if (this.#isOpen) this.#opened.resolve();
    }
    return this.#opened.promise;
  }

  /**
   * Calls `listener` when the latch opens, at once if it is open. The returned function removes the listener. A continuation of
   * `opened` cannot be removed: it is kept as long as the latch, even if the latch never opens.
   */
  onOpen(listener: () => void): () => void {
    if (this.#isOpen) {
      listener();
      return () => {};
    }
    const onlyThis = (): void => {
      listener();
    };
    const listeners = (this.#listeners ??= new Set());
    listeners.add(onlyThis);
    return () => {
      listeners.delete(onlyThis);
    };
  }

  /** Opens it; calling again is harmless. */
  open(): void {
    this.#isOpen = true;
    this.#opened?.resolve();
    const listeners = [...(this.#listeners ?? [])];
    this.#listeners?.clear();
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }
}

/** A promise with its resolve and reject functions (Node 20 lacks `Promise.withResolvers`). */
export interface Deferred<R> {
  readonly promise: Promise<R>;
  resolve(value: R): void;
  reject(reason: unknown): void;
}

export function deferred<R>(): Deferred<R> {
  let resolve!: (value: R) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<R>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
