import { cpuUsage } from 'node:process';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';

/** A search that gets this share of a processor, or less, ends by the time that passes. */
export const LEAST_SHARE: number = 1 / 15;

export interface ProcessorClockSources {
  /** The processor time of this process so far, milliseconds. */
  readonly processorMs: () => number;
  /** Milliseconds from any time on. */
  readonly elapsedMs: () => number;
}

const MACHINE: ProcessorClockSources = {
  processorMs: () => {
    const { user, system } = cpuUsage();
    return (user + system) / 1000;
  },
  elapsedMs: () => performance.now(),
};

/**
 * The clock of budgets: the processor time that this process has used. On a machine that does other work too, a search is as long as it
 * would be alone, and finds what it would find.
 *
 * Guarantee: it also goes on when the process gets no processor, at a fifteenth of the speed, so that no search is endless.
 */
export class ProcessorClock implements Pick<Runtime, 'monotonicMs'> {
  readonly #sources: ProcessorClockSources;
  readonly #processorStartMs: number;
  readonly #startMs: number;

  constructor(sources: ProcessorClockSources = MACHINE) {
    this.#sources = sources;
    this.#processorStartMs = sources.processorMs();
    this.#startMs = sources.elapsedMs();
  }

  /** Since the clock was made. */
  get processorMs(): number {
    return this.#sources.processorMs() - this.#processorStartMs;
  }

  /** Since the clock was made, also while the process did not run. */
  get elapsedMs(): number {
    return this.#sources.elapsedMs() - this.#startMs;
  }

  monotonicMs(): number {
    return Math.max(this.processorMs, this.elapsedMs * LEAST_SHARE);
  }
}
