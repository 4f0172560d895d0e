import type { Runtime } from '../../kernel/time/runtime.ts';

const ROUNDING_MS = 1e-6;

/** When something happened last that keeps a run from being idle. */
export class Activity {
  readonly #runtime: Runtime;
  readonly #isBusy: () => boolean;
  #lastMs: number;

  /** `isBusy`: whether something is under way that has to end first. */
  constructor(runtime: Runtime, isBusy: () => boolean) {
    this.#runtime = runtime;
    this.#isBusy = isBusy;
    this.#lastMs = runtime.monotonicMs();
  }

  mark(): void {
    this.#lastMs = this.#runtime.monotonicMs();
  }

  /** Calls `then` once nothing has happened for `quietMs`, unless the returned function is called before. */
  whenQuiet(quietMs: number, then: () => void): () => void {
    let timer = this.#runtime.setTimer(quietMs, () => look());
    const look = (): void => {
      if (this.#isBusy()) this.mark();
      const restMs = this.#lastMs + quietMs - this.#runtime.monotonicMs();
      if (restMs <= ROUNDING_MS) then();
      else timer = this.#runtime.setTimer(restMs, look);
    };
    return () => {
      timer.cancel();
    };
  }
}
