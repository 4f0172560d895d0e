/**
 * An operation, reduced to its times.
 *
 * @experimental
 */
export interface TimedOperation {
  readonly calledAt: number;
  /** `Infinity` if the outcome is unknown: it took effect at any time after the call, or never. */
  readonly returnedAt: number;
}

/**
 * The behaviour of an object when operations are carried out on it one at a time.
 *
 * @experimental
 */
export interface SequentialModel<State, Operation> {
  readonly initial: State;
  /**
   * The state after an operation with its result; undefined if it cannot have this result in this state. For an operation of
   * unknown outcome, undefined if it has no effect in this state.
   */
  step(state: State, operation: Operation): State | undefined;
  /** A text that is equal for equal states, and different for different ones. */
  key(state: State): string;
  /** Whether the operation changes nothing, for every result. */
  isRead(operation: Operation): boolean;
  /** The operation without its result, that is, with an unknown outcome. For finding the failing window. */
  forget(operation: Operation): Operation;
  /** A state about which nothing is known: every operation is possible in it. For finding the failing window. */
  readonly anything: State;
}
