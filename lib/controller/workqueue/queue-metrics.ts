import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { guardedMetrics, logFailedMetrics } from '../../kernel/report/guarded-metrics.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { MetricLabels, Metrics } from '../../kernel/report/metrics.ts';
import { workQueueMetrics } from './work-queue-metrics.ts';

/** Maximum number of priorities whose labels are kept. */
const MOST_PRIORITIES = 100;

export interface QueueMetricsOptions {
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Reports the metrics of a work queue. It never throws. */
export class QueueMetrics {
  readonly #name: string;
  readonly #logger: Logger;
  readonly #labels: MetricLabels;
  #metrics: Metrics | undefined;
  /** Labels of the depth by priority. */
  #lanes: Map<number, MetricLabels> | undefined;

  constructor(name: string, { metrics, logger = consoleLogger }: QueueMetricsOptions) {
    this.#name = name;
    this.#logger = logger;
    this.#labels = { name };
    if (metrics !== undefined) this.reportTo(metrics);
  }

  /** From now on reports to these. */
  reportTo(metrics: Metrics): void {
    this.#metrics = guardedMetrics(metrics, logFailedMetrics(this.#name, this.#logger));
  }

  /** Whether metrics are recorded; if not, nothing has to be measured. */
  get wanted(): boolean {
    return this.#metrics !== undefined;
  }

  added(): void {
    this.#metrics?.count(workQueueMetrics.adds.name, 1, this.#labels);
  }

  retried(): void {
    this.#metrics?.count(workQueueMetrics.retries.name, 1, this.#labels);
  }

  depth(waiting: number, priority: number): void {
    if (this.#metrics === undefined) return;
    this.#metrics.gauge(workQueueMetrics.depth.name, waiting, this.#laneLabels(priority));
  }

  /** Nothing waits any more. */
  emptied(): void {
    for (const priority of this.#lanes?.keys() ?? []) this.depth(0, priority);
  }

  inWork(unfinishedMs: number, longestMs: number): void {
    const { unfinished, longestRunning } = workQueueMetrics;
    this.#metrics?.gauge(unfinished.name, unfinishedMs / 1000, this.#labels);
    this.#metrics?.gauge(longestRunning.name, longestMs / 1000, this.#labels);
  }

  #laneLabels(priority: number): MetricLabels {
    const lanes = (this.#lanes ??= new Map());
    const known = lanes.get(priority);
    if (known !== undefined) return known;
    const labels = { ...this.#labels, priority: String(priority) };
    if (lanes.size < MOST_PRIORITIES) lanes.set(priority, labels);
    return labels;
  }

  handedOut(waitedMs: number): void {
    const { name } = workQueueMetrics.queueDuration;
    this.#metrics?.observe(name, waitedMs / 1000, this.#labels);
  }

  finished(workedMs: number): void {
    const { name } = workQueueMetrics.workDuration;
    this.#metrics?.observe(name, workedMs / 1000, this.#labels);
  }
}
