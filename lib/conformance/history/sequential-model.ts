/** Something that was done between two moments, as far as time is concerned. */
export interface TimedOperation {
  readonly calledAt: number;
  /** `Infinity` where the outcome is unknown: it took effect at any time after the call, or never. */
  readonly returnedAt: number;
}

/** The behaviour of an object when operations are carried out on it one at a time. */
export interface SequentialModel<State, Operation> {
  readonly initial: State;
  /**
   * The state after an operation with the result it had; undefined when it cannot have had this result in this state, and
   * for one of unknown outcome when it has no effect in this state.
   */
  step(state: State, operation: Operation): State | undefined;
  /** The same for equal states, different for others. */
  key(state: State): string;
  /** Whether the operation changes nothing, whatever its result. */
  isRead(operation: Operation): boolean;
  /** The operation with its result forgotten: with an unknown outcome. For finding the failing window. */
  forget(operation: Operation): Operation;
  /** The state of which nothing is known: every first operation is possible in it. For finding the failing window. */
  readonly anything: State;
}
