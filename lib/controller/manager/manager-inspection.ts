import type { ControllerInspection } from '../builder/controller-inspection.ts';
import type { ElectionInspection } from '../election/leader-elector.ts';
import type { ShardingInspection } from '../sharding/shard-member.ts';
import type { PartKind } from './managed-parts.ts';
import type { PartState } from './managed-run.ts';

export interface PartInspection {
  readonly name: string;
  readonly kind: PartKind;
  readonly state: PartState;
  /** Why it failed. */
  readonly failure: string | undefined;
}

/** The state of a manager at one moment. */
export interface ManagerInspection {
  readonly phase: 'new' | 'starting' | 'running' | 'stopping' | 'stopped';
  /** Why it stops or has stopped: `SIGTERM`, `the signal aborted`, `closed`, or the failure of a part. */
  readonly stopReason: string | undefined;
  /** Where the endpoints are. */
  readonly url: string | undefined;
  /** In the order in which they were added. */
  readonly parts: readonly PartInspection[];
  readonly controllers: readonly ControllerInspection[];
  /** With leader election. */
  readonly election: ElectionInspection | undefined;
  /** With sharding. */
  readonly sharding: ShardingInspection | undefined;
}
