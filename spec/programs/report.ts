import type { ProgramOutcome, StepOutcome } from './program.ts';

const COLUMNS = [26, 12, 9, 12, 9] as const;

export interface Row {
  readonly program: string;
  readonly ours: ProgramOutcome;
  /** Undefined without a real server. */
  readonly real: ProgramOutcome | undefined;
}

/** A table: steps passed of all and seconds, for each server. */
export function table(rows: readonly Row[]): string {
  const hasReal = rows.some(({ real }) => real !== undefined);
  const title = ['program', 'listwatch', 's', ...(hasReal ? ['real', 's'] : [])];
  const body = rows.map(({ program, ours, real }) => [
    program,
    ...cells(ours),
    ...(real === undefined ? [] : cells(real)),
  ]);
  return [title, ...body].map(line).join('\n');
}

/** The steps that failed with ours: first those that pass with the real server, or, when there is none, all. */
export function differences(row: Row): string[] {
  const { program, ours, real } = row;
  const found = faults(row);
  const lines = found.map((one) => `${program}: FAULT ${describeStep(one)}`);
  if (real === undefined) return lines;
  const known = new Set(found.map(({ step }) => step));
  const failed = ours.steps.filter(
    ({ step, failure }) => failure !== undefined && !known.has(step),
  );
  const passed = passedSteps(ours);
  const alone = real.steps.filter(({ step, failure }) => failure !== undefined && passed.has(step));
  return [
    ...lines,
    ...failed.map((one) => `${program}: fails with both: ${describeStep(one)}`),
    ...alone.map((one) => `${program}: fails with the real server alone: ${describeStep(one)}`),
  ];
}

/** Steps that passed with the real server, and failed or were not reached with ours; without a real server those that failed. */
export function faults({ ours, real }: Row): StepOutcome[] {
  const failed = ours.steps.filter(({ failure }) => failure !== undefined);
  if (real === undefined) return failed;
  const passed = passedSteps(real);
  const reported = new Set(ours.steps.map(({ step }) => step));
  const notReached = [...passed].filter((step) => !reported.has(step));
  return [
    ...failed.filter(({ step }) => passed.has(step)),
    ...notReached.map((step) => ({ step, failure: 'not reached' })),
  ];
}

function passedSteps({ steps }: ProgramOutcome): Set<string> {
  return new Set(steps.filter((one) => !hasFailed(one)).map(({ step }) => step));
}

function hasFailed({ failure }: StepOutcome): boolean {
  return failure !== undefined;
}

function cells({ steps, seconds }: ProgramOutcome): string[] {
  const passed = steps.filter(({ failure }) => failure === undefined).length;
  return [`${passed} of ${steps.length}`, seconds.toFixed(1)];
}

function line(parts: readonly string[]): string {
  return parts
    .map((part, index) => (index === 0 ? part.padEnd(COLUMNS[0]) : part.padStart(COLUMNS[index]!)))
    .join('');
}

function describeStep({ step, failure }: StepOutcome): string {
  return `${step}: ${failure}`;
}
