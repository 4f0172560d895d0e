import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { PrometheusMetrics } from '../../kernel/report/prometheus-metrics.ts';
import { processSignals, type SignalSource } from '../../kernel/time/real-process.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { LeaderElectionOptions } from '../election/leader-election-options.ts';
import type { ShardingOptions } from '../sharding/sharding-options.ts';
import type { Check } from './health-checks.ts';

/** A registry of the package prom-client, or anything like it. */
export interface MetricsRegistry {
  /** The metrics in the text format of Prometheus. */
  metrics(): Promise<string> | string;
}

/** Where `/healthz`, `/readyz` and `/metrics` are served, over plain HTTP. */
export interface EndpointOptions {
  /** 0: a free port, see `Manager.url`. */
  readonly port: number;
  /** In a pod, probes and Prometheus come from outside: `0.0.0.0`, or `::`. @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
}

export interface ManagerOptions {
  /**
   * One of several replicas works at a time: it reconciles and runs the runnables, and its writes need its lease. The others have their
   * caches filled, and take over at once. `run` rejects with LEADERSHIP_LOST when the lease is lost. @defaultValue each replica works
   */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /**
   * Each of several replicas reconciles a part of all keys, and its writes need its lease. When a replica comes or goes, only the keys that
   * it gets or had move. Runnables run on each replica. Excludes `leaderElection`. @defaultValue each replica works on all keys
   *
   * @experimental
   */
  readonly sharding?: ShardingOptions | undefined;
  /** @defaultValue nothing is served */
  readonly endpoints?: EndpointOptions | undefined;
  /**
   * The signals that stop `run`: the first one with care, a second one at once. False: none; the program stops it.
   * @defaultValue SIGINT and SIGTERM of this process
   */
  readonly signals?: SignalSource | false | undefined;
  /**
   * Longest time to stop, milliseconds. For three fifths of it, running reconciles may end undisturbed; then their signals abort. Pods
   * are killed 30 s after SIGTERM, unless they ask for more. @defaultValue 25 000
   */
  readonly shutdownTimeoutMs?: number | undefined;
  /** Longest wait until caches and runnables are ready, milliseconds; controllers have their own. @defaultValue 120 000 */
  readonly startTimeoutMs?: number | undefined;
  /** Further checks of `/healthz`, by name; no part may have failed. */
  readonly healthChecks?: Readonly<Record<string, Check>> | undefined;
  /** Further checks of `/readyz`, by name; all parts must be ready. */
  readonly readyChecks?: Readonly<Record<string, Check>> | undefined;
  /**
   * Keeps the metrics for `/metrics`; to show those of the client too, it gets the same. @defaultValue new ones of the controllers,
   * their queues and their informers
   */
  readonly metrics?: PrometheusMetrics | undefined;
  /** Its metrics are shown by `/metrics` as well: `register` of prom-client. */
  readonly registry?: MetricsRegistry | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

export const MANAGER: OptionsSchema<
  ManagerOptions,
  'signals' | 'shutdownTimeoutMs' | 'startTimeoutMs' | 'runtime' | 'logger'
> = optionsOf<ManagerOptions>()('Manager', {
  leaderElection: is.object(),
  sharding: is.object(),
  endpoints: is.object(),
  signals: is
    .rule<SignalSource | false>('a source of signals, or false', (given) => {
      return given === false || (typeof given === 'object' && given !== null);
    })
    .default(processSignals),
  shutdownTimeoutMs: is.number({ min: 0 }).default(25_000),
  startTimeoutMs: is.number({ min: 0 }).default(120_000),
  healthChecks: is.object(),
  readyChecks: is.object(),
  metrics: is.object(),
  registry: is.object(),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});
