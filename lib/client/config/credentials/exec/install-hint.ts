import type { Runtime } from '../../../../kernel/time/runtime.ts';

/** As client-go (plugin/pkg/client/auth/exec/exec.go @ 32ce75a7). */
const MOST_AN_HOUR = 10;
const HOUR_MS = 3_600_000;

/** How to install a program, shown at most ten times an hour: the same hint in the error of every request hides the rest. */
export class InstallHint {
  readonly #text: string;
  readonly #runtime: Runtime;
  #sinceMs = -Infinity;
  #shown = 0;

  constructor(text: string, runtime: Runtime) {
    this.#text = text;
    this.#runtime = runtime;
  }

  /** Undefined: there is none, or it was shown often enough. */
  next(): string | undefined {
    if (this.#text === '') return undefined;
    const nowMs = this.#runtime.monotonicMs();
    if (nowMs - this.#sinceMs >= HOUR_MS) {
      this.#sinceMs = nowMs;
      this.#shown = 0;
    }
    if (this.#shown === MOST_AN_HOUR) return undefined;
    this.#shown += 1;
    return this.#text;
  }
}
