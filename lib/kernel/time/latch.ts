/** A named event that happens at most once and can be awaited any number of times. */
export class Latch {
  /** Names the awaited event, e.g. `initial list of pods`. */
  readonly name: string;
  /** Resolves when opened; never rejects, so it needs no handler. */
  readonly opened: Promise<void>;
  readonly #listeners = new Set<() => void>();
  #isOpen = false;
  #resolve: () => void = () => {};

  constructor(name: string) {
    this.name = name;
    this.opened = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
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
    this.#listeners.add(onlyThis);
    return () => {
      this.#listeners.delete(onlyThis);
    };
  }

  /** Opens it; calling again is harmless. */
  open(): void {
    this.#isOpen = true;
    this.#resolve();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
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
