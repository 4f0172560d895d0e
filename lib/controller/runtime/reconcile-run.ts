import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

export interface ReconcileRunOptions {
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Called when the run takes longer than `timeoutMs`; returns the reason for its abort. */
  readonly onOverdue: () => unknown;
}

/** One run of a reconcile, which can be aborted. Its signal is created when it is read; many runs never read it. */
export class ReconcileRun {
  readonly #timer: Timer;
  #controller: AbortController | undefined;
  #cutShort: { readonly reason: unknown } | undefined;

  constructor({ runtime, timeoutMs, onOverdue }: ReconcileRunOptions) {
    this.#timer = runtime.setTimer(timeoutMs, () => {
      this.abort(onOverdue());
    });
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cutShort !== undefined) this.#controller.abort(this.#cutShort.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal, at most once. The run's own time limit no longer applies after that. */
  abort(reason: unknown): void {
    if (this.#cutShort !== undefined) return;
    this.#cutShort = { reason };
    this.#timer.cancel();
    this.#controller?.abort(reason);
  }

  /** Called when the reconcile has returned or failed. */
  end(): void {
    this.#timer.cancel();
  }
}
