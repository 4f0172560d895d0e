import { onProcessSignal } from '../kernel/time/real-process.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type { DumpCause } from './record-options.ts';

export interface AutomaticDumpsOptions {
  readonly dumpOn: ReadonlySet<DumpCause>;
  readonly keepMs: number;
  readonly runtime: Runtime;
  readonly dump: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

/** Writes the last minutes when a signal or an error asks for it, one dump at a time. */
export class AutomaticDumps implements Disposable {
  readonly #options: AutomaticDumpsOptions;
  readonly #ends: (() => void)[] = [];
  #isWriting = false;
  #isOpen = true;
  /** An error before this time writes nothing. */
  #nextErrorMs = 0;

  constructor(options: AutomaticDumpsOptions) {
    this.#options = options;
    const { dumpOn: causes } = options;
    for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
      if (causes.has(signal)) this.#ends.push(onProcessSignal(signal, () => this.#write()));
    }
  }

  /** A list or a watch has failed in a way that is not part of normal operation. */
  failed(): void {
    const { dumpOn: causes, runtime, keepMs } = this.#options;
    const nowMs = runtime.monotonicMs();
    if (!this.#isOpen || !causes.has('error') || nowMs < this.#nextErrorMs) return;
    this.#nextErrorMs = nowMs + keepMs;
    this.#write();
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
    for (const end of this.#ends.splice(0)) end();
  }

  #write(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    const { dump, onFailure } = this.#options;
    void dump()
      .catch(onFailure)
      .finally(() => {
        this.#isWriting = false;
      });
  }
}
