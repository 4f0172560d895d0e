import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { webhookMetrics } from './webhook-metrics.ts';

/** Measures the calls of the webhooks of a server. */
export class WebhookMeter {
  readonly #runtime: Pick<Runtime, 'monotonicMs'>;
  readonly #running = new Map<string, number>();
  #metrics: Metrics | undefined;

  constructor(runtime: Pick<Runtime, 'monotonicMs'>) {
    this.#runtime = runtime;
  }

  /** From now on reports to these. */
  reportTo(metrics: Metrics): void {
    this.#metrics = metrics;
  }

  /** Returns the function to call with the status of the answer. */
  begin(webhook: string): (status: number) => void {
    const beganMs = this.#runtime.monotonicMs();
    this.#count(webhook, 1);
    return (status) => {
      this.#count(webhook, -1);
      const seconds = (this.#runtime.monotonicMs() - beganMs) / 1000;
      this.#metrics?.count(webhookMetrics.requests.name, 1, { webhook, code: String(status) });
      this.#metrics?.observe(webhookMetrics.latency.name, seconds, { webhook });
    };
  }

  #count(webhook: string, change: 1 | -1): void {
    const running = (this.#running.get(webhook) ?? 0) + change;
    this.#running.set(webhook, running);
    this.#metrics?.gauge(webhookMetrics.inFlight.name, running, { webhook });
  }
}
