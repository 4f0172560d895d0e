/** A request of a process: the n-th one of its life that matches, over all its incarnations. */
export interface RequestPoint {
  /** `write`: create, update, patch, delete and deletecollection. `any`: all but watches. */
  readonly verb: 'write' | 'any' | 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  /** As in RBAC: `configmaps`, `deployments.apps`, with the subresource if it is one: `sites.example.com/status`. Left out: every one. */
  readonly resource?: string | undefined;
  /** `NAMESPACE/NAME`, or the name alone for resources of the cluster; `{uid}` for a uid in a name. Left out: every one. */
  readonly object?: string | undefined;
  /** Counted from 1. */
  readonly occurrence: number;
}

/** A committed change of an object since the start of the workload. */
export interface ChangePoint {
  /** As in RBAC: `configmaps`, `deployments.apps`. */
  readonly resource: string;
  /** `NAMESPACE/NAME`, or the name alone for resources of the cluster; `{uid}` for a uid in a name. */
  readonly object: string;
  /** @defaultValue any of them */
  readonly change?: 'created' | 'changed' | 'deleted' | undefined;
  /** Counted from 1. */
  readonly occurrence: number;
}

/**
 * One fault, as data. `process` is the name of a controller, with `#` and the number of the replica if it has several: `sites`, `sites#1`.
 * Faults happen at requests and at changes of objects, never at times, so a plan survives small changes of the program.
 *
 * @experimental
 */
export type PlannedFault =
  /**
   * The process dies at a request: before it is sent, when the server has handled it, when the answer has arrived, or `later`: where the
   * process would go on after the answer for the n-th time, by a timer, a queued task, another answer, or what a watch brings. It starts again.
   */
  | {
      readonly kind: 'crash';
      readonly process: string;
      readonly at: RequestPoint;
      readonly moment: 'before' | 'handled' | 'answered' | 'later';
      /** With `later`: n, counted from 1. @defaultValue 1 */
      readonly wakeUp?: number | undefined;
    }
  /** The server answers with an error in place of its own answer; with `handled` the request was carried out nevertheless. */
  | {
      readonly kind: 'error';
      readonly process: string;
      readonly at: RequestPoint;
      readonly status: 409 | 429 | 500 | 504;
      readonly handled: boolean;
    }
  /** The connection breaks: the request is lost, or with `handled` only its answer. */
  | {
      readonly kind: 'lost';
      readonly process: string;
      readonly at: RequestPoint;
      readonly handled: boolean;
    }
  /** The request arrives twice, one after the other; the second answer is delivered. Not a create with a name that the server draws. */
  | { readonly kind: 'repeat'; readonly process: string; readonly at: RequestPoint }
  /** The answer comes late. */
  | {
      readonly kind: 'slow';
      readonly process: string;
      readonly at: RequestPoint;
      readonly delayMs: number;
    }
  /** Nothing passes between the process and the server for a time. */
  | {
      readonly kind: 'partition';
      readonly process: string;
      readonly at: RequestPoint;
      readonly forMs: number;
    }
  /** The process is stopped for a time, as by SIGSTOP or a long garbage collection; with a lease it loses the lead. */
  | {
      readonly kind: 'pause';
      readonly process: string;
      readonly at: RequestPoint;
      readonly forMs: number;
    }
  /** An admission webhook is down: for a time the server refuses creates, updates and patches of a resource that the process sends. */
  | {
      readonly kind: 'webhook';
      readonly process: string;
      readonly at: RequestPoint;
      /** As in RBAC, with the subresource if it is one. */
      readonly resource: string;
      readonly forMs: number;
    }
  /** The wall clock of the process is set forward, or back. */
  | {
      readonly kind: 'clock';
      readonly process: string;
      readonly at: RequestPoint;
      readonly byMs: number;
    }
  /** Watches of a resource end at a change. With `compacted` their history is gone too, so that the process lists again. */
  | {
      readonly kind: 'cut';
      readonly process: string;
      readonly at: ChangePoint;
      readonly compacted: boolean;
    }
  /**
   * Unobserved state: from a change on, the process sees nothing of the resource until another change. `late`: then it gets all events at
   * once. `missed`: it lists again, and never learns of the states between.
   */
  | {
      readonly kind: 'hide';
      readonly process: string;
      readonly at: ChangePoint;
      readonly until: ChangePoint;
      readonly mode: 'late' | 'missed';
    }
  /**
   * Time travel: at a change the process dies, and starts again with an API server whose caches stand still at an earlier change for some
   * time: before it, or after it.
   */
  | {
      readonly kind: 'stale';
      readonly process: string;
      readonly at: ChangePoint;
      readonly view: ChangePoint;
      readonly side: 'before' | 'after';
      readonly forMs: number;
    }
  /** At a change the process dies, and starts again: its lists then have their items in reverse order. No server promises an order. */
  | { readonly kind: 'reorder'; readonly process: string; readonly at: ChangePoint };

/** @experimental */
export type FaultKind = PlannedFault['kind'];

/** @experimental */
export const FAULT_KINDS: readonly FaultKind[] = [
  'crash',
  'error',
  'lost',
  'repeat',
  'slow',
  'partition',
  'pause',
  'webhook',
  'clock',
  'cut',
  'hide',
  'stale',
  'reorder',
];

/**
 * A run as data: with the same program it gives the same trace, byte for byte.
 *
 * @experimental
 */
export interface SimulationPlan {
  /** The version of the simulator. */
  readonly version: string;
  /** Decides latencies, and all random numbers of the program. */
  readonly seed: number;
  readonly faults: readonly PlannedFault[];
  /** Where it comes from, in words. */
  readonly origin: string;
  /** Numbers of the steps of the workload that are left out. @defaultValue none */
  readonly withoutSteps?: readonly number[] | undefined;
  /** Replicas of every controller, if fewer than it has. @defaultValue as the controller says */
  readonly maxReplicas?: number | undefined;
}
