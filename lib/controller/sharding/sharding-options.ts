import type { LeaderElectionOptions } from '../election/leader-election-options.ts';

/** How keys are divided among replicas. */
export interface ShardingOptions
  extends Pick<
    LeaderElectionOptions,
    'namespace' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryMs'
  > {
  /** The name of the group, the same for all replicas of a program. A Lease of this name has the table of all keys. */
  readonly name: string;
  /**
   * How long a run may go on, when another replica is to take its key over, before its signal aborts, milliseconds. The key stays until the
   * run has ended. @defaultValue 10 000
   */
  readonly undisturbedMs?: number | undefined;
}
