import type { PrometheusMetrics } from '../../kernel/report/prometheus-metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { textPage, type Page, type PageOf } from './endpoint-server.ts';
import { reportOf, type Check } from './health-checks.ts';
import type { ManagedRun } from './managed-run.ts';
import type { ManagerInspection } from './manager-inspection.ts';
import type { MetricsRegistry } from './manager-options.ts';

/** @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

export interface ManagerPagesParts {
  readonly runs: readonly ManagedRun[];
  readonly phase: () => ManagerInspection['phase'];
  readonly metrics: PrometheusMetrics;
  readonly registry: MetricsRegistry | undefined;
  readonly healthChecks: Readonly<Record<string, Check>> | undefined;
  readonly readyChecks: Readonly<Record<string, Check>> | undefined;
  readonly runtime: Runtime;
}

type CheckOfRun = (run: ManagedRun) => Check;

/** `/healthz`, `/readyz` and `/metrics` of a manager. */
export function managerPages(parts: ManagerPagesParts): ReadonlyMap<string, PageOf> {
  const { metrics, registry, phase, healthChecks, readyChecks } = parts;
  const running: Check = () => {
    if (phase() !== 'running') throw new Error(`the manager is ${phase()}`);
  };
  const probe =
    (name: string, ofRun: CheckOfRun, others: Readonly<Record<string, Check>> = {}): PageOf =>
    async (query) => {
      const ofRuns = parts.runs.map((run) => [run.name, ofRun(run)] as const);
      const checks = new Map([...ofRuns, ...Object.entries(others)]);
      const { passed, text } = await reportOf(name, checks, parts.runtime);
      return textPage(passed ? 200 : 500, passed && !query.has('verbose') ? 'ok' : text);
    };
  const metricsPage = async (): Promise<Page> => {
    const text = `${metrics.text()}${(await registry?.metrics()) ?? ''}`;
    return { status: 200, contentType: PROMETHEUS_TEXT, text };
  };
  return new Map([
    ['/healthz', probe('healthz', notFailed, healthChecks)],
    ['/readyz', probe('readyz', isReady, { ...readyChecks, manager: running })],
    ['/metrics', metricsPage],
  ]);
}

const notFailed: CheckOfRun = (run) => () => {
  if (run.state === 'failed') throw new Error(run.failure ?? 'it failed');
};

/** A part that has ended by itself has done its work. */
const isReady: CheckOfRun = (run) => () => {
  if (run.state !== 'ready' && run.state !== 'standby' && run.state !== 'stopped')
    throw new Error(`it is ${run.state}`);
  if (run.state === 'ready') run.check();
};
