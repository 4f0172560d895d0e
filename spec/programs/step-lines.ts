import type { StepOutcome } from './program.ts';

const LINE = /^STEP (?<verdict>ok|failed) (?<step>[^:]+)(?:: (?<message>.*))?$/;
const END = 'STEP end';
const TAIL_LINES = 5;

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** How the process ended, in words: `exit code 1`, `ended after 600 s`. */
  readonly how: string;
}

/** The outcomes that a program printed. One that ends before its last line has a failed step `end`, with the end of what it wrote. */
export function readStepLines({ stdout, stderr, how }: Ended): StepOutcome[] {
  const lines = stdout.split('\n').map((line) => line.trimEnd());
  const steps: StepOutcome[] = [];
  for (const line of lines) {
    const { verdict, step, message } = LINE.exec(line)?.groups ?? {};
    if (step === undefined) continue;
    steps.push({ step, failure: verdict === 'ok' ? undefined : (message ?? 'no message') });
  }
  if (lines.includes(END)) return steps;
  const tail = `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '' && !LINE.test(line))
    .slice(-TAIL_LINES);
  return [...steps, { step: 'end', failure: [how, ...tail].join(' | ') }];
}
