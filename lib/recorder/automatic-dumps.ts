import { onProcessSignal } from '../kernel/time/real-process.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type { DumpCause, RecordableInformer } from './record-options.ts';
import type { KubernetesObject } from '../meta/object.ts';

export interface AutomaticDumpsOptions<T extends KubernetesObject> {
  readonly informer: Pick<RecordableInformer<T>, 'events'>;
  readonly causes: ReadonlySet<DumpCause>;
  readonly keepMs: number;
  readonly runtime: Runtime;
  readonly dump: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

/** Writes the last minutes when a signal or an error asks for it, one dump at a time. */
export class AutomaticDumps<T extends KubernetesObject> implements Disposable {
  readonly #options: AutomaticDumpsOptions<T>;
  readonly #ends: (() => void)[] = [];
  #isWriting = false;
  /** An error before this time writes nothing. */
  #nextErrorMs = 0;

  constructor(options: AutomaticDumpsOptions<T>) {
    this.#options = options;
    const { causes, informer } = options;
    if (causes.has('error')) {
      informer.events.on('watch-error', this.#onError);
      this.#ends.push(() => informer.events.off('watch-error', this.#onError));
    }
    for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
      if (causes.has(signal)) this.#ends.push(onProcessSignal(signal, () => this.#write()));
    }
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends.splice(0)) end();
  }

  readonly #onError = (_: unknown, { expected }: { readonly expected: boolean }): void => {
    const { runtime, keepMs } = this.#options;
    const nowMs = runtime.monotonicMs();
    if (expected || nowMs < this.#nextErrorMs) return;
    this.#nextErrorMs = nowMs + keepMs;
    this.#write();
  };

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
