import type { Runtime } from '../../lib/kernel/time/runtime.ts';

/** The failures of a run, and on request all of its events. */
export class Journal {
  readonly failures: string[] = [];
  readonly lines: string[] = [];
  /** Writes a line; undefined when there is no reader. */
  readonly trace: ((line: string) => void) | undefined;
  readonly #runtime: Pick<Runtime, 'monotonicMs'>;

  constructor(runtime: Pick<Runtime, 'monotonicMs'>, traced: boolean) {
    this.#runtime = runtime;
    this.trace = traced
      ? (line): void => {
          this.lines.push(`${this.#at()} ${line}`);
        }
      : undefined;
  }

  get failed(): boolean {
    return this.failures.length > 0;
  }

  fail(what: string): void {
    this.trace?.(`FAILED ${what}`);
    if (this.failures.length < MOST_FAILURES) this.failures.push(`${this.#at()} ${what}`);
  }

  #at(): string {
    return `${this.#runtime.monotonicMs().toFixed(0).padStart(8)} ms`;
  }
}

/** Further ones of the same run add nothing. */
const MOST_FAILURES = 10;
