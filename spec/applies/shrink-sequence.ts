import type { Sequence } from './draw-sequence.ts';

/** The numbers of the steps that are needed for a sequence to fail: each that can be left out is. */
export async function shrink(
  sequence: Sequence,
  failing: readonly number[],
  fails: (sequence: Sequence) => Promise<boolean>,
): Promise<number[]> {
  let kept = [...failing];
  for (const step of failing.toReversed()) {
    const fewer = kept.filter((one) => one !== step);
    if (fewer.length > 0 && (await fails(onlySteps(sequence, fewer)))) kept = fewer;
  }
  return kept;
}

/** The sequence with these of its steps. */
export function onlySteps(sequence: Sequence, numbers: readonly number[]): Sequence {
  return { ...sequence, steps: sequence.steps.filter((_, index) => numbers.includes(index)) };
}
