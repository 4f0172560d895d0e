import type { MetricDescription, MetricLabels, Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { isResourceVersion } from '../../../meta/versions/resource-version.ts';
import type { HandlerInspection, InformerInspection } from './informer-inspection.ts';
import { informerMetrics } from './informer-metrics.ts';

/** Interval of reports of values that change all the time, milliseconds. */
const SAMPLE_INTERVAL_MS = 5000;

/** A handler with counters. */
export interface MeteredHandler {
  inspect(): HandlerInspection;
}

export interface InformerMeterOptions {
  /** Name of the informer. */
  readonly name: string;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  readonly inspect: () => InformerInspection;
  readonly handlers: () => Iterable<MeteredHandler>;
}

type ValueOf = (now: InformerInspection) => number | undefined;

/** The gauges of an informer, and their values; undefined for what is not measured. */
const GAUGES: readonly (readonly [MetricDescription, ValueOf])[] = [
  [informerMetrics.connected, ({ connected }) => (connected ? 1 : 0)],
  [informerMetrics.objects, ({ objects }) => objects],
  [informerMetrics.bytes, ({ bytes }) => bytes],
  [informerMetrics.memory, ({ memory }) => memory.slabBytes + memory.decodedBytes],
  [informerMetrics.queueDepth, ({ queued }) => queued],
  [informerMetrics.lag, ({ lagMs }) => lagMs / 1000],
  [informerMetrics.lastEventAge, ({ lastEventAgeMs = 0 }) => lastEventAgeMs / 1000],
  [informerMetrics.storeVersion, ({ storeResourceVersion }) => numberOf(storeResourceVersion)],
  [informerMetrics.stalenessRevisions, ({ staleness }) => staleness?.revisions],
  [informerMetrics.staleness, ({ staleness }) => staleness && staleness.ms / 1000],
];

type Counters = Pick<HandlerInspection, 'delivered' | 'failed' | 'coalesced'>;

const NOTHING: Counters = { delivered: 0, failed: 0, coalesced: 0 };

/**
 * Reports an informer to a metrics library: batches when they are applied, everything else in samples, so that an event costs
 * nothing. An informer without metrics has none.
 */
export class InformerMeter {
  readonly #options: InformerMeterOptions;
  readonly #labels: MetricLabels;
  /** The last reported values of each handler. */
  readonly #reported = new WeakMap<MeteredHandler, Counters>();
  /** Those that were reported. */
  readonly #gauges = new Set<string>();
  #events = 0;
  #startedAtMs = 0;
  #timer: Timer | undefined;

  constructor(options: InformerMeterOptions) {
    this.#options = options;
    this.#labels = { name: options.name };
  }

  /** The informer runs: samples begin. */
  start(): void {
    this.#startedAtMs = this.#options.runtime.monotonicMs();
    this.#next();
  }

  applied(durationMs: number): void {
    const { metrics } = this.#options;
    metrics.observe(informerMetrics.applyDuration.name, durationMs / 1000, this.#labels);
  }

  relisted(): void {
    const { metrics } = this.#options;
    metrics.count(informerMetrics.relists.name, 1, this.#labels);
  }

  synced(): void {
    const durationMs = this.#options.runtime.monotonicMs() - this.#startedAtMs;
    const { metrics } = this.#options;
    metrics.observe(informerMetrics.syncDuration.name, durationMs / 1000, this.#labels);
    this.#sample();
  }

  /** A handler has been removed, and its last callback has returned. */
  handlerRemoved(handler: MeteredHandler): void {
    const { metrics } = this.#options;
    const inspection = handler.inspect();
    this.#countHandler(metrics, handler, inspection);
    metrics.gauge(informerMetrics.handlerPending.name, 0, this.#handlerLabels(inspection));
  }

  /** The informer has stopped: a last sample, and its gauges are 0. */
  stop(): void {
    this.#timer?.cancel();
    this.#sample();
    for (const name of this.#gauges) this.#options.metrics.gauge(name, 0, this.#labels);
  }

  #next(): void {
    this.#timer = this.#options.runtime.setTimer(
      SAMPLE_INTERVAL_MS,
      () => {
        this.#sample();
        this.#next();
      },
      { background: true },
    );
  }

  #sample(): void {
    const { metrics } = this.#options;
    const now = this.#options.inspect();
    for (const [{ name }, valueOf] of GAUGES) {
      const value = valueOf(now);
      if (value === undefined) continue;
      metrics.gauge(name, value, this.#labels);
      this.#gauges.add(name);
    }
    count(
      metrics,
      informerMetrics.eventsApplied.name,
      now.eventsApplied - this.#events,
      this.#labels,
    );
    this.#events = now.eventsApplied;
    this.#sampleHandlers(metrics);
  }

  /** Handlers of one name are one series. */
  #sampleHandlers(metrics: Metrics): void {
    const pending = new Map<string, number>();
    for (const handler of this.#options.handlers()) {
      const inspection = handler.inspect();
      this.#countHandler(metrics, handler, inspection);
      pending.set(inspection.name, (pending.get(inspection.name) ?? 0) + inspection.pending);
    }
    for (const [name, value] of pending) {
      metrics.gauge(informerMetrics.handlerPending.name, value, this.#handlerLabels({ name }));
    }
  }

  #countHandler(metrics: Metrics, handler: MeteredHandler, now: HandlerInspection): void {
    const { delivered, failed, coalesced } = now;
    const before = this.#reported.get(handler) ?? NOTHING;
    const labels = this.#handlerLabels(now);
    count(metrics, informerMetrics.handlerDelivered.name, delivered - before.delivered, labels);
    count(metrics, informerMetrics.handlerFailed.name, failed - before.failed, labels);
    count(metrics, informerMetrics.handlerCoalesced.name, coalesced - before.coalesced, labels);
    this.#reported.set(handler, { delivered, failed, coalesced });
  }

  #handlerLabels({ name: handler }: { readonly name: string }): MetricLabels {
    return { name: this.#options.name, handler };
  }
}

function numberOf(version: string): number | undefined {
  return isResourceVersion(version) ? Number(version) : undefined;
}

function count(metrics: Metrics, name: string, by: number, labels: MetricLabels): void {
  if (by > 0) metrics.count(name, by, labels);
}
