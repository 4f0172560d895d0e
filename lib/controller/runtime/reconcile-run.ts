import type { Runtime, Timer } from '../../kernel/runtime.ts';

export interface ReconcileRunOptions {
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** It takes longer than `timeoutMs`; returns the reason for its abort. */
  readonly onOverdue: () => unknown;
}

/** One run of a reconcile, which may be cut short. Its signal is made on first read; many runs never read it. */
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

  /** Aborts the signal, once; from then on it is the caller's deadline that counts. */
  abort(reason: unknown): void {
    if (this.#cutShort !== undefined) return;
    this.#cutShort = { reason };
    this.#timer.cancel();
    this.#controller?.abort(reason);
  }

  /** The reconcile has returned, or failed. */
  end(): void {
    this.#timer.cancel();
  }
}
