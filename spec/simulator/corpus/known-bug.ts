import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { Invariant, WorkloadStep, World } from '../../../lib/simulator/contract/world.ts';

/** The events that a bug needs to show. */
export type BugPattern =
  /** The process ends between two writes, and its next incarnation does not finish what was begun. */
  | 'intermediate'
  /** A read shows a state of the past: after a restart, or because the cache has not seen own writes. */
  | 'stale'
  /** A state lies between two reads, and is never seen. */
  | 'unobserved'
  /** Lists, or changes of two resources, come in an order that was not expected. */
  | 'order'
  /** An object is created after its owner has gone, or after its work was done. */
  | 'create-after-delete'
  /** Another program writes the same object between the read and the write. */
  | 'conflict'
  /** The server has handled a request, and its answer does not arrive. */
  | 'lost-response'
  /** Two replicas work at the same time, because one has lost its lease. */
  | 'leader';

/** Where the bug was published. */
export interface Upstream {
  /** The repository, `owner/name`. */
  readonly project: string;
  /** The address of the report. */
  readonly issue: string;
  /** A commit or a pull request that was looked up; undefined: there is none, or it was not found. */
  readonly fix: string | undefined;
  /** The defect, and its fix. */
  readonly summary: string;
  /** The finding in a program with the fix of upstream, and the remedy in `fixed`. @defaultValue nothing is known */
  readonly leftOpen?: string | undefined;
}

/** A published bug of a controller, as a small controller with the same defect, and one without it. */
export interface KnownBug {
  /** The project and the number of the issue. */
  readonly name: string;
  readonly upstream: Upstream;
  readonly pattern: BugPattern;
  readonly world: World;
  readonly workload: readonly WorkloadStep[];
  /** The programs with the defect. Without faults, they do what `fixed` does. */
  readonly wrong: readonly SimulatedController[];
  readonly fixed: readonly SimulatedController[];
  /** The invariant that the defect breaks, where the comparison with a run without faults does not say it. @defaultValue none */
  readonly invariants?: readonly Invariant[] | undefined;
}
