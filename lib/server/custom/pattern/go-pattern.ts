import type { Assertion, PatternNode } from './pattern-node.ts';
import { parsePattern } from './pattern-parser.ts';
import { hasRune, type RuneSet } from './rune-set.ts';

/** One step of a program: take a character of a set, go two ways, hold between two characters, or the match. */
type Instruction =
  | { readonly type: 'set'; readonly set: RuneSet; readonly next: number }
  | { readonly type: 'assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly type: 'split'; readonly next: number; readonly other: number }
  | { readonly type: 'match' };

interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** The instructions of a pattern: a machine with states, which needs no way back. */
function programOf(node: PatternNode): PatternProgram {
  const instructions: Instruction[] = [{ type: 'match' }];
  const add = (instruction: Instruction): number => instructions.push(instruction) - 1;

  /** Adds a part that goes on at `next`; returns where it begins. */
  const emit = (part: PatternNode, next: number): number => {
    switch (part.type) {
      case 'set':
        return add({ type: 'set', set: part.set, next });
      case 'assert':
        return add({ type: 'assert', assertion: part.assertion, next });
      case 'all':
        return part.parts.reduceRight((then, one) => emit(one, then), next);
      case 'any': {
        const starts = part.parts.map((one) => emit(one, next));
        return starts.reduceRight((other, start) => add({ type: 'split', next: start, other }));
      }
      case 'repeat':
        return repeat(part, next);
    }
  };

  const repeat = (
    { part, least, most }: Extract<PatternNode, { readonly type: 'repeat' }>,
    next: number,
  ): number => {
    let at = next;
    let before = least;
    if (most < 0) {
      const loop = add({ type: 'split', next, other: next });
      const body = emit(part, loop);
      instructions[loop] = { type: 'split', next: body, other: next };
      at = least === 0 ? loop : body;
      before = Math.max(least - 1, 0);
    }
    for (let count = least; count < most; count += 1) {
      at = add({ type: 'split', next: emit(part, at), other: next });
    }
    for (let count = 0; count < before; count += 1) at = emit(part, at);
    return at;
  };

  const start = emit(node, 0);
  return { instructions, start };
}

/** Maximum number of instructions in the states that are kept; beyond it they are computed again. */
const MOST_KEPT = 20_000;
/** Maximum number of characters whose next state is kept with a state. */
const MOST_NEXT = 500;

const NONE = -1;
const NEWLINE = 0x0a;

/** The remaining bound of tests, in steps of a program. */
export interface PatternBudget {
  steps: number;
}

/** A set of instructions reached after a character, and where each next character leads. */
interface State {
  readonly instructions: readonly number[];
  readonly before: number;
  readonly next: Map<number, State | 'match'>;
}

/**
 * A pattern of Go's regexp package. A test takes time in proportion to the length of the text, whatever the pattern, as in Go.
 * @see go src/regexp @ go1.26
 */
export class GoPattern {
  readonly #program: PatternProgram;
  readonly #marks: Uint32Array;
  #mark = 0;
  #states = new Map<string, State>();
  #first: State | undefined;
  #kept = 0;

  /** @throws {PatternSyntaxError} in the words of Go. */
  constructor(pattern: string) {
    this.#program = programOf(parsePattern(pattern));
    this.#marks = new Uint32Array(this.#program.instructions.length);
  }

  /** Whether a part of the text matches; undefined when the budget ends before this is known. */
  test(text: string, budget: PatternBudget): boolean | undefined {
    this.#first ??= this.#stateOf([], NONE);
    let state: State = this.#first;
    for (let at = 0; at <= text.length; ) {
      const rune = at < text.length ? (text.codePointAt(at) as number) : NONE;
      let next = state.next.get(rune);
      if (next === undefined) {
        next = this.#follow(state, rune, budget);
        if (budget.steps < 0) return undefined;
        state.next.set(rune, next);
      }
      if (next === 'match') return true;
      state = next;
      at += rune > 0xffff ? 2 : 1;
    }
    return false;
  }

  /** Where a character leads from a state. A match may also begin here. */
  #follow({ instructions, before }: State, rune: number, budget: PatternBudget): State | 'match' {
    const reached: number[] = [];
    const pending = [...instructions, this.#program.start];
    this.#mark += 1;
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (this.#marks[at] === this.#mark) continue;
      this.#marks[at] = this.#mark;
      budget.steps -= 1;
      const one = this.#program.instructions[at];
      if (one === undefined) continue;
      if (one.type === 'match') return 'match';
      if (one.type === 'split') pending.push(one.next, one.other);
      else if (one.type === 'set') {
        budget.steps -= one.set.ranges.length >> 3;
        if (rune !== NONE && hasRune(one.set, rune)) reached.push(one.next);
      } else if (holds(one.assertion, before, rune)) pending.push(one.next);
    }
    return this.#stateOf(reached, rune);
  }

  #stateOf(reached: number[], rune: number): State {
    const instructions = [...new Set(reached)].toSorted((left, right) => left - right);
    // Of the character before, only this matters.
    const before = rune === NONE || rune === NEWLINE ? rune : isWord(rune) ? 0x61 : 0x20;
    const key = `${before}:${instructions.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      this.#kept += instructions.length + 1;
      if (this.#kept > MOST_KEPT) this.#forget();
      state = { instructions, before, next: new Map() };
      this.#states.set(key, state);
    } else if (state.next.size > MOST_NEXT) state.next.clear();
    return state;
  }

  #forget(): void {
    this.#states = new Map();
    this.#first = undefined;
    this.#kept = 0;
  }
}

function holds(assertion: Assertion, before: number, after: number): boolean {
  switch (assertion) {
    case 'text-begin':
      return before === NONE;
    case 'text-end':
      return after === NONE;
    case 'line-begin':
      return before === NONE || before === NEWLINE;
    case 'line-end':
      return after === NONE || after === NEWLINE;
    case 'word':
      return isWord(before) !== isWord(after);
    case 'no-word':
      return isWord(before) === isWord(after);
  }
}

function isWord(rune: number): boolean {
  if (rune < 0x80) return rune >= 0 && /\w/.test(String.fromCharCode(rune));
  return false;
}
