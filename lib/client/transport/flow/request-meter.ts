import { guardedMetrics, logFailedMetrics } from '../../../kernel/report/guarded-metrics.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { RequestTiming } from '../contract/request-timing.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { requestMetrics } from './request-metrics.ts';
import type { RequestName } from './request-name.ts';

export interface EndedRequest {
  readonly method: string;
  readonly name: RequestName;
  /** The status code, or the error code if there was no answer. */
  readonly code: string;
  readonly durationMs: number;
  readonly timing: RequestTiming;
}

/** Reports the metrics of the requests of a client. It never throws. */
export class RequestMeter {
  readonly #metrics: Metrics;
  readonly #host: string;

  private constructor(server: string, metrics: Metrics, logger: Logger) {
    this.#host = hostOf(server);
    this.#metrics = guardedMetrics(metrics, logFailedMetrics(server, logger));
  }

  /** Undefined without metrics: then nothing has to be measured. */
  static of(
    server: string,
    options: { readonly metrics?: Metrics | undefined; readonly logger?: Logger | undefined },
  ): RequestMeter | undefined {
    const { metrics, logger = consoleLogger } = options;
    return metrics === undefined ? undefined : new RequestMeter(server, metrics, logger);
  }

  ended({ method, name, code, durationMs, timing }: EndedRequest): void {
    const host = this.#host;
    const { verb, resource } = name;
    const { requests, duration, limiterWait, refreshes, connections } = requestMetrics;
    this.#metrics.count(requests.name, 1, { host, method, verb, resource, code });
    this.#metrics.observe(duration.name, durationMs / 1000, { host, verb, resource });
    const waitedMs = timing.waitedMs.limiter;
    if (waitedMs > 0) this.#metrics.observe(limiterWait.name, waitedMs / 1000, { host, verb });
    if (timing.refreshes > 0) this.#metrics.count(refreshes.name, timing.refreshes, { host });
    if (timing.connections > 0) this.#metrics.count(connections.name, timing.connections, { host });
  }

  /** A request is sent again because of this status code or error code. */
  retried(method: string, code: string): void {
    this.#metrics.count(requestMetrics.retries.name, 1, { host: this.#host, method, code });
  }

  limiter({ rate, queued }: RequestLimiter): void {
    const labels = { host: this.#host };
    this.#metrics.gauge(requestMetrics.limiterRate.name, rate === Infinity ? 0 : rate, labels);
    this.#metrics.gauge(requestMetrics.limiterQueue.name, queued, labels);
  }

  slowedDown(): void {
    this.#metrics.count(requestMetrics.slowdowns.name, 1, { host: this.#host });
  }
}

/** Host and port of a server's address, or the whole text if it is no URL. */
export function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).host : server;
}
