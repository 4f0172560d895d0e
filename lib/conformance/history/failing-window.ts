import { firstWith } from './key-value-history.ts';
import type { SequentialModel, TimedOperation } from './sequential-model.ts';

/** Longer windows are not reduced further, because each operation costs a search. */
const SMALL = 64;

/**
 * Reduces an illegal history to a short part that is illegal by itself: first the end is cut off, then the beginning, then the
 * results of single operations. After each cut, the rest can be illegal only if the whole history is.
 */
export function failingWindow<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  isIllegal: (operations: readonly Operation[], initial: State) => boolean,
): readonly Operation[] {
  const moments = [...new Set(operations.flatMap((one) => [one.calledAt, one.returnedAt]))]
    .filter((moment) => moment !== Number.POSITIVE_INFINITY)
    .toSorted((left, right) => left - right);
  const until = (index: number): readonly Operation[] =>
    endedAt(operations, model, moments[index] ?? Number.POSITIVE_INFINITY);
  const end = firstWith(moments.length, (index) => isIllegal(until(index), model.initial));
  const head = until(end);
  const since = (index: number): readonly Operation[] =>
    begunAt(head, model, moments[index] ?? Number.POSITIVE_INFINITY);
  const begin = firstWith(end, (index) => !isIllegal(since(index), model.anything));
  // If no beginning can be cut off, the initial state is known.
  const [part, initial] = begin === 0 ? [head, model.initial] : [since(begin - 1), model.anything];
  return withoutNeedless(part, model, (rest) => isIllegal(rest, initial));
}

/** The operations called up to a moment; those that had not returned by then may take effect later. */
function endedAt<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  moment: number,
): readonly Operation[] {
  return operations
    .filter(({ calledAt }) => calledAt <= moment)
    .flatMap((one) => (one.returnedAt <= moment ? [one] : loosened(one, model)));
}

/** The operations that returned after a moment; those called before it may have taken effect before. */
function begunAt<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  moment: number,
): readonly Operation[] {
  return operations
    .filter(({ returnedAt }) => returnedAt >= moment)
    .flatMap((one) => (one.calledAt >= moment ? [one] : loosened(one, model)));
}

/** Removes the result of one operation after the other, where the rest is still illegal. */
function withoutNeedless<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  isIllegal: (operations: readonly Operation[]) => boolean,
): readonly Operation[] {
  if (operations.length > SMALL) return operations;
  let kept = operations;
  for (const operation of operations.toReversed()) {
    if (operation.returnedAt === Number.POSITIVE_INFINITY) continue;
    const rest = kept.flatMap((one) => (one === operation ? loosened(one, model) : [one]));
    if (isIllegal(rest)) kept = rest;
  }
  return kept;
}

/** The operation without its result: a write may then have taken effect or not. A read is removed. */
function loosened<State, Operation extends TimedOperation>(
  operation: Operation,
  model: SequentialModel<State, Operation>,
): Operation[] {
  return model.isRead(operation) ? [] : [model.forget(operation)];
}
