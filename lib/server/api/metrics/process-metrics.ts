import type { Metrics } from '../../../kernel/report/metrics.ts';
import { processUsage } from '../../../kernel/time/real-process.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import { apiServerMetrics } from './api-server-metrics.ts';

/** Reports what this process uses. */
export function reportProcess(metrics: Metrics): void {
  const { cpuSeconds, residentBytes, upSeconds } = processUsage();
  metrics.gauge(apiServerMetrics.cpuTime.name, cpuSeconds);
  metrics.gauge(apiServerMetrics.residentMemory.name, residentBytes);
  metrics.gauge(apiServerMetrics.startTime.name, realRuntime.wallMs() / 1000 - upSeconds);
}
