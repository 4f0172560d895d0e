import { errorMessage } from './errors.ts';
import { guardedCall } from './guarded-call.ts';
import { guardedLogger } from './guarded-logger.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** The same metrics, unable to fail: what a call throws, or its promise rejects with, goes to the logger. */
export function guardedMetrics(owner: string, metrics: Metrics, logger: Logger): Metrics {
  const { error: report } = guardedLogger(logger);
  const guard = (call: () => unknown): void => {
    guardedCall(call, (error) => {
      report(`${owner}: the metrics failed: ${errorMessage(error)}`, { error });
    });
  };
  return {
    count: (name, by, labels) => {
      guard(() => metrics.count(name, by, labels));
    },
    gauge: (name, value, labels) => {
      guard(() => metrics.gauge(name, value, labels));
    },
    observe: (name, value, labels) => {
      guard(() => metrics.observe(name, value, labels));
    },
  };
}
