import {
  type FilledOptions,
  invalidOption,
  is,
  optionsOf,
} from '../../kernel/options/options-schema.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  LEADER_ELECTION,
  resolveElection,
  type ElectionTimes,
  type LeaderElectionOptions,
} from '../election/leader-election-options.ts';

/**
 * How keys are divided among replicas.
 *
 * @experimental
 */
export interface ShardingOptions
  extends Pick<
    LeaderElectionOptions,
    'namespace' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryMs'
  > {
  /**
   * The name of the group, the same for all replicas of a program, at most 63 characters. A Lease of this name has the table of all keys.
   */
  readonly name: string;
  /**
   * How long a run may go on, when another replica is to take its key over, before its signal aborts, milliseconds. The key stays until the
   * run has ended. @defaultValue 10 000
   */
  readonly undisturbedMs?: number | undefined;
}

/**
 * Options of a `ShardMember`.
 *
 * @experimental
 */
export interface ShardMemberOptions extends ShardingOptions {
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

const { name, namespace, leaseDurationMs, renewDeadlineMs, retryMs, runtime, logger, metrics } =
  LEADER_ELECTION.rules;
const SHARDING = optionsOf<ShardMemberOptions>()('sharding', {
  name,
  namespace,
  leaseDurationMs,
  renewDeadlineMs,
  retryMs,
  runtime,
  logger,
  metrics,
  undisturbedMs: is.number({ min: 0 }).default(10_000),
});
/** Leases of a group have its name in a label. */
const LONGEST_LABEL = 63;

export interface ShardingTimes extends ElectionTimes {
  readonly undisturbedMs: number;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveSharding(
  given: ShardMemberOptions,
): FilledOptions<ShardMemberOptions, 'runtime' | 'logger' | 'metrics'> & ShardingTimes {
  const { undisturbedMs, ...election } = SHARDING.read(given);
  const options = resolveElection('sharding', election);
  if (options.name.length <= LONGEST_LABEL) return { ...options, undisturbedMs };
  const rule = `must have at most ${LONGEST_LABEL} characters, as a label has it`;
  throw invalidOption('sharding', `option "name" ${rule}, not ${options.name.length}`);
}
