/** The class of a problem of a run. */
export type FindingClass =
  /** The objects at the end differ from those of runs without faults. */
  | 'end-state'
  /** An object was created or deleted more often, or less often, than without faults. */
  | 'summary'
  /** An object whose owner does not exist is left. */
  | 'orphan'
  /** An object waits for a finalizer that no controller removes. */
  | 'finalizer'
  /** The controllers go on writing, or failing to write. */
  | 'never-idle'
  /** A step of the workload has not been reached, has failed, or does not end. */
  | 'stuck'
  /** `status.observedGeneration` is behind at the end. */
  | 'observed-generation'
  /** A rejection without a handler, which ends a process. */
  | 'unhandled-rejection'
  /** A process that ends by itself again and again. */
  | 'crash-loop'
  /** A reconcile fails at the end, and goes on to fail. */
  | 'failing'
  /** A write of a former leader was accepted after another replica had taken the lead. */
  | 'two-leaders'
  /** An answer, or an event of a watch, is not what the server has stored: an error of the server. */
  | 'server'
  /** Long after the last change, the cache of an informer differs from the server. */
  | 'cache'
  /** A key stays in a queue although a worker waits for keys. */
  | 'queue'
  /** A controller uses something real that cannot be simulated: a socket, a file, another thread. */
  | 'escape'
  /** A process that was stopped has left a timer, which keeps it from ending. */
  | 'leaked-timer'
  /** A process computes without end: nothing else happens in it. */
  | 'blocked'
  /** A process takes more memory than it may have. */
  | 'memory'
  /** An error that was thrown where no one handles it, which ends a process. */
  | 'uncaught-exception'
  /** Two runs of one plan differ: the controllers use another clock, other timers or other random numbers than theirs. */
  | 'not-repeatable'
  /** An invariant of the user. */
  | 'invariant';

/** @experimental */
export interface Finding {
  readonly class: FindingClass;
  /** The object or invariant that it concerns: `configmaps shop/page`, or the name of an invariant. Two findings of a class about the same are one. */
  readonly subject: string;
  /** One sentence. */
  readonly message: string;
  /** The difference, without names and values: objects of one kind that differ in the same way have it in common. */
  readonly difference?: string | undefined;
  /** Virtual milliseconds since the start of the run; the end if left out. */
  readonly atMs?: number | undefined;
}
