import type { Runtime } from '../../../kernel/time/runtime.ts';

/** As the API writes times: without fractions of seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since 1970 that never go back: for times that are shown, and for deadlines. */
export class LifeClock {
  readonly #runtime: Pick<Runtime, 'monotonicMs'>;
  readonly #offsetMs: number;

  constructor(runtime: Pick<Runtime, 'wallMs' | 'monotonicMs'>) {
    this.#runtime = runtime;
    this.#offsetMs = runtime.wallMs() - runtime.monotonicMs();
  }

  nowMs(): number {
    return this.#offsetMs + this.#runtime.monotonicMs();
  }
}
