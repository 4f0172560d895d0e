import { numberOption } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { failingWindow } from './failing-window.ts';
import type { SequentialModel, TimedOperation } from './sequential-model.ts';

export interface LinearizabilityOptions {
  /** Longest time for the search, milliseconds. @defaultValue 60 000 */
  readonly budgetMs?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

export type LinearizabilityVerdict<Operation> =
  /** An order in which one operation at a time gives these results. */
  | { readonly verdict: 'linearizable'; readonly order: readonly Operation[] }
  /** No such order exists. The window alone shows it: what lies before and behind it does not matter. */
  | { readonly verdict: 'illegal'; readonly window: readonly Operation[] }
  /** Time ran out first. */
  | { readonly verdict: 'unknown'; readonly explored: number };

/**
 * Looks for an order of the operations that respects their times and that the model explains.
 *
 * A depth-first search over which operation is next; a combination of operations done and resulting state is entered once.
 * One that has used more operations of unknown outcome than another with the same rest to do is not entered at all.
 *
 * Cost: O(n · 2^w) steps of the model for n operations of which at most w overlap, as a rule close to n; operations of
 * unknown outcome overlap with all that follow. The problem is NP-complete, hence the budget. Divide a history by key first.
 * @see Wing and Gong, Testing and verifying concurrent objects, 1993; Lowe, Testing for linearizability, 2017
 */
export function checkLinearizability<State, Operation extends TimedOperation>(
  operations: readonly Operation[],
  model: SequentialModel<State, Operation>,
  options: LinearizabilityOptions = {},
): LinearizabilityVerdict<Operation> {
  const { runtime = realRuntime } = options;
  const owner = 'checkLinearizability';
  const budgetMs = numberOption(owner, 'budgetMs', options.budgetMs, 60_000, { min: 1 });
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
  /** All operations with an outcome before this one are done. */
  readonly base: number;
  /** The later operations that are done too, ascending. */
  readonly ahead: readonly number[];
  /** Operations of unknown outcome that took effect, one bit each. */
  readonly used: bigint;
  readonly state: State;
  /** The operations that may come next, the most likely last: indices, those of unknown outcome behind the others. */
  readonly candidates: number[];
  /** The operation that led here; -1 for the start. */
  readonly by: number;
  /** The state before, where an operation of unknown outcome led here. */
  readonly before: State | undefined;
}

/** One search; indices count first the operations with an outcome, then those without. */
class Search<State, Operation extends TimedOperation> {
  explored = 0;
  readonly #model: SequentialModel<State, Operation>;
  readonly #isOver: () => boolean;
  readonly #known: readonly Operation[];
  readonly #open: readonly Operation[];
  readonly #frames: Frame<State>[] = [];
  /** By operations done and state: the smallest sets of operations of unknown outcome with which it was entered. */
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

  /** Whether the operation of unknown outcome before this one made no difference: it is tried without. */
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
    // With fewer of them used, everything that is possible from here is possible too.
    if (entered.some((fewer) => (fewer & used) === fewer)) return;
    this.#entered.set(key, [...entered.filter((more) => (more & used) !== used), used]);
    this.#frames.push({ ...frame, candidates: this.#candidates(frame) });
  }

  /** The operations that were called before the first return of those still to be placed. */
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
