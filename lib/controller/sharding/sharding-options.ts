import { ListwatchError } from '../../kernel/failure/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  electionTimes,
  type ElectionTimes,
  type LeaderElectionOptions,
} from '../election/leader-election-options.ts';

/** How keys are divided among replicas. */
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

/** Options of a `ShardMember`. */
export interface ShardMemberOptions extends ShardingOptions {
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

const SHARD_MEMBER_OPTIONS: readonly (keyof ShardMemberOptions)[] = [
  'name',
  'namespace',
  'leaseDurationMs',
  'renewDeadlineMs',
  'retryMs',
  'undisturbedMs',
  'runtime',
  'logger',
  'metrics',
];

const UNDISTURBED_MS = 10_000;
/** Leases of a group have its name in a label. */
const LONGEST_LABEL = 63;

/** The options with their defaults. */
export interface ShardingTimes extends ElectionTimes {
  readonly undisturbedMs: number;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function shardingTimes(options: ShardMemberOptions): ShardingTimes {
  rejectUnknownOptions('sharding', options, SHARD_MEMBER_OPTIONS);
  const { undisturbedMs: given, ...election } = options;
  const times = electionTimes('sharding', election);
  if (options.name.length > LONGEST_LABEL) {
    const text = `sharding: option "name" must have at most ${LONGEST_LABEL} characters, as a label has it, not ${options.name.length}`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
  const undisturbedMs = numberOption('sharding', 'undisturbedMs', given, UNDISTURBED_MS, {
    min: 0,
  });
  return { ...times, undisturbedMs };
}
