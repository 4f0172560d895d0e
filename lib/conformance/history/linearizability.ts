import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { SequentialModel, TimedOperation } from './sequential-model.ts';
import { firstWith } from './key-value-history.ts';

/** Longer windows are not reduced further, because each operation costs a search. */
const SMALL = 64;

/**
 * Reduces an illegal history to a short part that is illegal by itself: first the end is cut off, then the beginning, then the
 * results of single operations. After each cut, the rest can be illegal only if the whole history is.
 */
function failingWindow<State, Operation extends TimedOperation>(
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

/** @experimental */
export interface LinearizabilityOptions {
  /** Longest time for the search, milliseconds. @defaultValue 60 000 */
  readonly budgetMs?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<LinearizabilityOptions>()('checkLinearizability', {
  budgetMs: is.number({ min: 1 }).default(60_000),
  runtime: is.object().default(realRuntime),
});

/** @experimental */
export type LinearizabilityVerdict<Operation> =
  /** A sequential order in which the operations have these results. */
  | { readonly verdict: 'linearizable'; readonly order: readonly Operation[] }
  /** No such order exists. The window alone proves it; operations before and after it do not matter. */
  | { readonly verdict: 'illegal'; readonly window: readonly Operation[] }
  /** The time limit was reached first. */
  | { readonly verdict: 'unknown'; readonly explored: number };

/**
 * Searches for an order of the operations that agrees with their times and that the model allows.
 *
 * It is a depth-first search for the next operation. Each combination of completed operations and resulting state is visited
 * once. A combination is skipped if another one has the same rest to do but has used fewer operations of unknown outcome.
 *
 * Cost: O(n · 2^w) steps of the model for n operations of which at most w overlap, usually close to n. An operation of unknown
 * outcome overlaps with all later ones. The problem is NP-complete, hence the time limit. Divide a history by key first.
 * @see Wing and Gong, Testing and verifying concurrent objects, 1993; Lowe, Testing for linearizability, 2017
 * @experimental
 */
export function checkLinearizability<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  options: LinearizabilityOptions = {},
): LinearizabilityVerdict<Operation> {
  const { budgetMs, runtime } = OPTIONS.read(options);
  const giveUpAtMs = runtime.monotonicMs() + budgetMs;
  const isOver = (): boolean => runtime.monotonicMs() > giveUpAtMs;
  const search = new Search(operations, model, model.initial, isOver);
  const found = search.run();
  if (found === 'linearizable') return { verdict: 'linearizable', order: search.order() };
  if (found === 'unknown') return { verdict: 'unknown', explored: search.explored };
  const isIllegal = (part: readonly Operation[], initial: State): boolean =>
    new Search(part, model, initial, isOver).run() === 'illegal';
  return { verdict: 'illegal', window: failingWindow(operations, model, isIllegal) };
}

const STEPS_BETWEEN_CLOCK_READS = 1024;

interface Frame<State> {
  /** All operations with an outcome before this index are done. */
  readonly base: number;
  /** Later operations that are also done, ascending. */
  readonly ahead: readonly number[];
  /** Operations of unknown outcome that took effect, one bit each. */
  readonly used: bigint;
  readonly state: State;
  /** Indices of the operations that may come next, the most likely one last; those of unknown outcome come after the others. */
  readonly candidates: number[];
  /** The operation that led to this frame; -1 for the start. */
  readonly by: number;
  /** The previous state, if an operation of unknown outcome led to this frame. */
  readonly before: State | undefined;
}

/** One search. Indices number the operations with an outcome first, then those without. */
class Search<State, Operation extends TimedOperation> {
  explored = 0;
  readonly #model: SequentialModel<State, Operation>;
  readonly #isOver: () => boolean;
  readonly #known: readonly Operation[];
  readonly #open: readonly Operation[];
  readonly #frames: Frame<State>[] = [];
  /** By completed operations and state: the minimal sets of used operations of unknown outcome. */
  readonly #entered = new Map<string, bigint[]>();

  constructor(
    operations: readonly Operation[],
    model: SequentialModel<State, Operation>,
    initial: State,
    isOver: () => boolean,
  ) {
    const byCall = operations.toSorted((left, right) => left.calledAt - right.calledAt);
    this.#model = model;
    this.#isOver = isOver;
    this.#known = byCall.filter(({ returnedAt }) => returnedAt !== Number.POSITIVE_INFINITY);
    this.#open = byCall.filter(({ returnedAt }) => returnedAt === Number.POSITIVE_INFINITY);
    this.#enter({ base: 0, ahead: [], used: 0n, state: initial, by: -1, before: undefined });
  }

  run(): 'linearizable' | 'illegal' | 'unknown' {
    for (;;) {
      const frame = this.#frames.at(-1);
      if (frame === undefined) return 'illegal';
      if (frame.base === this.#known.length) return 'linearizable';
      const next = frame.candidates.pop();
      if (next === undefined) {
        this.#frames.pop();
        continue;
      }
      this.explored += 1;
      if (this.explored % STEPS_BETWEEN_CLOCK_READS === 0 && this.#isOver()) return 'unknown';
      const operation = this.#operation(next);
      const state = this.#model.step(frame.state, operation);
      if (state === undefined || this.#isDetour(frame, operation, state)) continue;
      this.#enter(this.#after(frame, next, state));
    }
  }

  /** Whether the previous operation, of unknown outcome, made no difference; the search tries the path without it. */
  #isDetour({ before }: Frame<State>, operation: Operation, state: State): boolean {
    if (before === undefined) return false;
    const without = this.#model.step(before, operation);
    return without !== undefined && this.#model.key(without) === this.#model.key(state);
  }

  order(): readonly Operation[] {
    return this.#frames.slice(1).map(({ by }) => this.#operation(by));
  }

  #operation(index: number): Operation {
    const { length } = this.#known;
    return (index < length ? this.#known[index] : this.#open[index - length]) as Operation;
  }

  #after(
    { base, ahead, used, state: before }: Frame<State>,
    index: number,
    state: State,
  ): Omit<Frame<State>, 'candidates'> {
    const { length } = this.#known;
    if (index >= length) {
      const more = used | (1n << BigInt(index - length));
      return { base, ahead, used: more, state, by: index, before };
    }
    if (index !== base) {
      const sorted = [...ahead, index].toSorted((left, right) => left - right);
      return { base, ahead: sorted, used, state, by: index, before: undefined };
    }
    let next = base + 1;
    let taken = 0;
    while (ahead[taken] === next) {
      next += 1;
      taken += 1;
    }
    const rest = ahead.slice(taken);
    return { base: next, ahead: rest, used, state, by: index, before: undefined };
  }

  #enter(frame: Omit<Frame<State>, 'candidates'>): void {
    const { base, ahead, used, state } = frame;
    const key = `${base} ${ahead.join(',')} ${this.#model.key(state)}`;
    const entered = this.#entered.get(key) ?? [];
    // With fewer of them used, everything that is possible here is possible there too.
    if (entered.some((fewer) => (fewer & used) === fewer)) return;
    this.#entered.set(key, [...entered.filter((more) => (more & used) !== used), used]);
    this.#frames.push({ ...frame, candidates: this.#candidates(frame) });
  }

  /** The remaining operations that were called before the first return of any of them. */
  #candidates({ base, ahead, used }: Omit<Frame<State>, 'candidates'>): number[] {
    const done = new Set(ahead);
    let firstReturn = Number.POSITIVE_INFINITY;
    const found: number[] = [];
    for (let index = base; index < this.#known.length; index += 1) {
      const { calledAt, returnedAt } = this.#known[index] as Operation;
      if (calledAt > firstReturn) break;
      if (done.has(index)) continue;
      found.push(index);
      firstReturn = Math.min(firstReturn, returnedAt);
    }
    const known = found.filter((index) => this.#operation(index).calledAt <= firstReturn);
    const open: number[] = [];
    for (const [index, { calledAt }] of this.#open.entries()) {
      if (calledAt > firstReturn) break;
      if (((used >> BigInt(index)) & 1n) === 0n) open.push(this.#known.length + index);
    }
    return [...open, ...known.toReversed()];
  }
}
