import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';

/** Requests that take longer are logged. @see apiserver pkg/endpoints/handlers/get.go LogIfLong(500 ms) @ 24a394e */
const SLOW_MS = 500;
/** A write that conflicts again and again takes the same steps again. */
const MOST_STEPS = 50;

/** The request, as the log names it. */
export interface TracedRequest {
  readonly verb: string;
  /** Path and query; the query is not logged. */
  readonly url: string;
  readonly userAgent: string | undefined;
}

/**
 * The steps of one request, which are logged with their times if the request was slow. Without a log there is no need of one.
 */
export class SlowRequestTrace {
  readonly #runtime: Pick<Runtime, 'monotonicMs'>;
  readonly #beganMs: number;
  readonly #names: string[] = [];
  readonly #times: number[] = [];

  constructor(runtime: Pick<Runtime, 'monotonicMs'>) {
    this.#runtime = runtime;
    this.#beganMs = runtime.monotonicMs();
  }

  /** Marks the end of a step. */
  readonly step = (name: string): void => {
    if (this.#names.length >= MOST_STEPS) return;
    this.#names.push(name);
    this.#times.push(this.#runtime.monotonicMs());
  };

  /** Marks the end of the request. */
  end({ verb, url, userAgent }: TracedRequest, logger: Logger): void {
    const endMs = this.#runtime.monotonicMs();
    const totalMs = endMs - this.#beganMs;
    if (totalMs < SLOW_MS) return;
    let before = this.#beganMs;
    const steps = [...this.#names, 'answer ready'].map((name, index) => {
      const at = this.#times[index] ?? endMs;
      const tookMs = Math.round(at - before);
      before = at;
      return `${name}: ${tookMs} ms`;
    });
    const [path] = url.split('?', 1);
    logger.warn('a request was slow', {
      verb,
      path,
      userAgent,
      totalMs: Math.round(totalMs),
      steps,
    });
  }
}
