import type { Mutant } from './mutant-choice.ts';
import { mutated } from './mutation.ts';

/** A mutant that makes no difference: no spec can kill it. */
export interface EquivalentMutant {
  readonly file: string;
  readonly operator: string;
  /** The line of the code, without the white space around it. */
  readonly line: string;
  /** What becomes of that line. */
  readonly mutant: string;
  readonly reason: string;
}

/** Judged by reading the code; a mutant that a spec kills is not equivalent, and its row is removed. */
export const EQUIVALENT: readonly EquivalentMutant[] = [];

/** Why a mutant makes no difference, where it is listed. */
export function equivalenceOf({ file, text, mutation }: Mutant): string | undefined {
  const line = lineOf(text, mutation.line);
  const mutant = lineOf(mutated(text, mutation), mutation.line);
  const found = EQUIVALENT.find(
    (one) =>
      one.file === file &&
      one.operator === mutation.operator &&
      one.line === line &&
      one.mutant === mutant,
  );
  return found?.reason;
}

function lineOf(text: string, number: number): string {
  return text.split('\n')[number - 1]?.trim() ?? '';
}
