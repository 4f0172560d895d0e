import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

export interface WorkQueueOptions {
  /** The name of the queue in messages and metrics. @defaultValue 'queue' */
  readonly name?: string | undefined;
  /**
   * A key of a low priority that has waited this long gets its turn: of ten keys that are taken, one is the key that has waited longest.
   * Infinity: only the priority counts. @defaultValue 10 000
   */
  readonly ageingMs?: number | undefined;
  readonly runtime?: Runtime | undefined;
  /** Receives depth, adds, retries, and the times that keys wait and are worked on. */
  readonly metrics?: Metrics | undefined;
  /** Logs failures of the metrics. @defaultValue `consoleLogger` */
  readonly logger?: Logger | undefined;
}

export const WORK_QUEUE: OptionsSchema<WorkQueueOptions, 'name' | 'ageingMs' | 'runtime'> =
  optionsOf<WorkQueueOptions>()('WorkQueue', {
    name: is.text().default('queue'),
    ageingMs: is.number({ min: 0 }).default(10_000),
    runtime: is.object().default(realRuntime),
    metrics: is.object(),
    logger: LOGGER,
  });

export interface AddOptions {
  /**
   * Keys of a higher priority are taken first: a whole number from -1,000,000 to 1,000,000. Few different ones should be in use. A
   * waiting key that is added again gets the higher one of both. @defaultValue 0
   */
  readonly priority?: number | undefined;
}

const PRIORITY = is.integer({ min: -1_000_000, max: 1_000_000 }).default(0);

/** @throws {ListwatchError} code INVALID_OPTION for a priority that is no whole number in its range. */
export function priorityOf({ priority }: AddOptions): number {
  return PRIORITY.read('WorkQueue.add', 'priority', priority);
}

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CloseQueueOptions {
  /** Longest wait for the remaining work, in milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const CLOSE_QUEUE: OptionsSchema<CloseQueueOptions, 'timeoutMs'> =
  optionsOf<CloseQueueOptions>()('WorkQueue.close', {
    timeoutMs: is.number({ min: 0 }).default(30_000),
    signal: is.abortSignal(),
  });
