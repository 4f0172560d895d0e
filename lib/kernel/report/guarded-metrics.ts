import { guardedCall } from '../failure/guarded-call.ts';
import { guardedLogger } from './guarded-logger.ts';
import type { Logger } from './logger.ts';
import { silentMetrics, type Metrics } from './metrics.ts';

/**
 * Metrics that never throw. An error that the user's library throws, or a rejection of its promise, goes to `onError`, once for
 * each metric. `silentMetrics` is returned unchanged, so that it can be recognised.
 */
export function guardedMetrics(metrics: Metrics, onError: (error: unknown) => void): Metrics {
  if (metrics === silentMetrics) return metrics;
  const failed = new Set<string>();
  const guard = (name: string, report: () => unknown): void => {
    guardedCall(report, (error) => {
      if (failed.has(name)) return;
      failed.add(name);
      onError(error);
    });
  };
  return {
    count: (name, by, labels) => {
      guard(name, () => metrics.count(name, by, labels));
    },
    gauge: (name, value, labels) => {
      guard(name, () => metrics.gauge(name, value, labels));
    },
    observe: (name, value, labels) => {
      guard(name, () => metrics.observe(name, value, labels));
    },
  };
}

/** A hook for `guardedMetrics` that writes to the log. */
export function logFailedMetrics(owner: string, logger: Logger): (error: unknown) => void {
  const guarded = guardedLogger(logger);
  return (error) => {
    guarded.error('metrics failed', { owner, error });
  };
}
