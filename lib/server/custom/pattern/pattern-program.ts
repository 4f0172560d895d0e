import type { Assertion, PatternNode } from './pattern-node.ts';
import type { RuneSet } from './rune-set.ts';

/** One step of a program: take a character of a set, go two ways, hold between two characters, or the match. */
export type Instruction =
  | { readonly type: 'set'; readonly set: RuneSet; readonly next: number }
  | { readonly type: 'assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly type: 'split'; readonly next: number; readonly other: number }
  | { readonly type: 'match' };

export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** The instructions of a pattern: a machine with states, which needs no way back. */
export function programOf(node: PatternNode): PatternProgram {
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
