/** A named event that happens at most once and can be awaited any number of times. */
export class Latch {
  /** Says what is waited for, e.g. `initial list of pods`. */
  readonly name: string;
  /** Resolves when opened; never rejects, so nobody has to handle it. */
  readonly opened: Promise<void>;
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

  /** Opens it; calling again is harmless. */
  open(): void {
    this.#isOpen = true;
    this.#resolve();
  }
}

/** A promise with its two ends in hand (Node 20 lacks `Promise.withResolvers`). */
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
