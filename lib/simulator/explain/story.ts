import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import { faultText } from '../contract/fault-text.ts';
import { chosenLines, type Topic } from './chosen-lines.ts';
import type { StoryLine } from './story-lines.ts';

const MOST_LINES = 120;

export interface StoryParts {
  readonly plan: SimulationPlan;
  readonly findings: readonly Finding[];
  readonly lines: readonly StoryLine[];
  /** Titles of the steps that the plan has. */
  readonly steps: readonly string[];
  /** Left out: one run. */
  readonly group?: FailureGroup | undefined;
}

/** Runs that failed by the same cause. */
export interface FailureGroup {
  readonly cause: string;
  readonly runs: number;
}

/** A run that failed, as text for a person. */
export function story({ plan, findings, lines, steps, group }: StoryParts): string {
  return [
    ...findings.map(findingText),
    '',
    ...planText(plan, steps),
    ...(group === undefined || group.runs === 1 ? [] : [`An example of ${groupText(group)}`]),
    '',
    ...(lines.length === 0 ? [] : ['What happened:', ...chosenText(lines, plan, findings), '']),
    'So it ended:',
    ...findings.map((finding) => `  ${finding.subject}: ${finding.message}`),
  ].join('\n');
}

function chosenText(
  lines: readonly StoryLine[],
  plan: SimulationPlan,
  findings: readonly Finding[],
): readonly string[] {
  return chosenLines(lines, topicOf(plan, findings), MOST_LINES).map(lineText);
}

export function findingText({ class: kind, subject, message }: Finding): string {
  return `${kind}: ${subject}: ${message}`;
}

export function planText(plan: SimulationPlan, steps: readonly string[]): readonly string[] {
  const { faults, seed, origin } = plan;
  const found =
    faults.length === 0 ? 'Found without a fault' : `Found by ${origin}, in its smallest form`;
  return [
    `${found}: seed ${seed}, ${counted(faults.length, 'fault')}, ${counted(steps.length, 'step')}`,
    ...faults.map((fault) => `  fault  ${fault.process}: ${faultText(fault)}`),
    ...steps.map((step) => `  step   ${step}`),
  ];
}

export function groupText({ cause, runs }: FailureGroup): string {
  return `${counted(runs, 'run')} with ${cause}`;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

export function lineText({ atMs, actor, text, stale }: StoryLine): string {
  const time = `${(atMs / 1000).toFixed(3)} s`;
  const because = stale === undefined ? '' : `  <- ${stale}`;
  return `  ${time.padStart(11)}  ${actor.padEnd(14)} ${text}${because}`;
}

function topicOf({ faults }: SimulationPlan, findings: readonly Finding[]): Topic {
  return {
    processes: faults.map(({ process }) => process),
    subjects: findings.map(({ subject }) => subject),
  };
}
