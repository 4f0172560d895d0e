import { onAbort } from '../../../kernel/time/abort.ts';

/** Decides whether keys may be taken. */
export interface TakeLimit<K> {
  /** Whether a key may be taken now; if not, a worker is woken when the time has come. */
  ready(): boolean;
  /** Whether this key may be taken. If not, it leaves the queue, and is added again when its time has come. */
  passes(key: K, priority: number): boolean;
  /** Called for each key that is taken. */
  spend(): void;
}

/** The workers that wait for a key. */
export class WaitingTakers {
  readonly #wakes = new Set<() => void>();

  get size(): number {
    return this.#wakes.size;
  }

  wakeOne(): void {
    for (const wake of this.#wakes) {
      this.#wakes.delete(wake);
      wake();
      return;
    }
  }

  wakeAll(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  /** Resolves when a taker should look again: there may be a key, the queue has ended, or its signal has aborted. */
  change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let release = (): void => {};
      const wake = (): void => {
        release();
        resolve();
      };
      this.#wakes.add(wake);
      release = onAbort(signal, () => {
        this.#wakes.delete(wake);
        resolve();
      });
    });
  }
}
