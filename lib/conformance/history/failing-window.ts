import { firstWith } from './key-value-history.ts';
import type { SequentialModel, TimedOperation } from './sequential-model.ts';

/** Longer windows stay as they are: each operation costs a search. */
const SMALL = 64;

/**
 * The part of an illegal history that is illegal by itself, as short as it can be made: the end is cut off, then the
 * beginning, then what single operations say. Each cut leaves something that is illegal only if the whole is.
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
  // Without a moment from which on nothing need be known, all of the beginning counts.
  const [part, initial] = begin === 0 ? [head, model.initial] : [since(begin - 1), model.anything];
  return withoutNeedless(part, model, (rest) => isIllegal(rest, initial));
}

/** The operations called up to a moment; those that had not returned by then may still take effect. */
function endedAt<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  moment: number,
): readonly Operation[] {
  return operations
    .filter(({ calledAt }) => calledAt <= moment)
    .flatMap((one) => (one.returnedAt <= moment ? [one] : loosened(one, model)));
}

/** The operations that returned from a moment on; those called before may have taken effect before. */
function begunAt<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  moment: number,
): readonly Operation[] {
  return operations
    .filter(({ returnedAt }) => returnedAt >= moment)
    .flatMap((one) => (one.calledAt >= moment ? [one] : loosened(one, model)));
}

/** Takes from one operation after the other what it says, where the rest is enough. */
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

/** Without its result an operation may have taken effect or not; one that only reads says nothing any more. */
function loosened<State, Operation extends TimedOperation>(
  operation: Operation,
  model: SequentialModel<State, Operation>,
): Operation[] {
  return model.isRead(operation) ? [] : [model.forget(operation)];
}
