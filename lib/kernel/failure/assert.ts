import { ListwatchError } from './errors.ts';

let expensiveChecks = false;

/** Turns the costly invariant checks on or off for the process; specs and the simulator turn them on. @defaultValue off @internal */
export function setExpensiveChecks(enabled: boolean): void {
  expensiveChecks = enabled;
}

/** Whether costly invariant checks and deep freezing are on. */
export function expensiveChecksEnabled(): boolean {
  return expensiveChecks;
}

/** States an invariant. @throws {ListwatchError} code ASSERTION when it does not hold. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ListwatchError('ASSERTION', message);
}
