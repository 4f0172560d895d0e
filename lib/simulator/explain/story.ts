import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import { faultText } from '../contract/fault-text.ts';
import type { StoryLine } from './story-lines.ts';

/** Lines before and after a fault that are shown with it. */
const AROUND = 8;

const TURNS: ReadonlySet<StoryLine['kind']> = new Set(['step', 'fault', 'start', 'crash', 'exit']);

/** The objects and processes that a failed run concerns. */
interface Topic {
  /** Processes that met faults. */
  readonly processes: readonly string[];
  /** Subjects of the findings, such as `secrets default/a`. */
  readonly subjects: readonly string[];
}

/**
 * The lines of a story that matter most, at most so many, in their order. Where lines are left out, a line says how many. First come
 * steps, faults, starts and crashes, then what was decided by an old cache, what is next to a fault, writes about the findings, and
 * what the processes with faults did.
 */
export function chosenLines(
  lines: readonly StoryLine[],
  topic: Topic,
  most: number,
): readonly StoryLine[] {
  if (lines.length <= most) return lines;
  const ranks = ranksOf(lines, topic);
  const order = [...lines.keys()].toSorted(
    (one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0) || one - other,
  );
  const chosen = new Set(order.slice(0, most));
  const shown: StoryLine[] = [];
  let left = 0;
  for (const [place, line] of lines.entries()) {
    if (!chosen.has(place)) {
      left += 1;
      continue;
    }
    if (left > 0) shown.push(gap(line.atMs, left));
    left = 0;
    shown.push(line);
  }
  return left === 0 ? shown : [...shown, gap(lines.at(-1)?.atMs ?? 0, left)];
}

/** Lower ranks matter more. */
function ranksOf(lines: readonly StoryLine[], { processes, subjects }: Topic): readonly number[] {
  const near = new Set<number>();
  for (const [place, { kind }] of lines.entries()) {
    if (kind !== 'fault' && kind !== 'crash') continue;
    for (let one = place - AROUND; one <= place + AROUND; one += 1) near.add(one);
  }
  return lines.map(({ kind, actor, text, stale }, place) => {
    if (TURNS.has(kind)) return 0;
    if (stale !== undefined) return 1;
    if (near.has(place)) return 2;
    const isAbout = subjects.some((subject) => text.includes(subject));
    if (isAbout && kind !== 'event') return 3;
    if (processes.includes(actor)) return isAbout ? 3 : 4;
    return isAbout ? 5 : 6;
  });
}

function gap(atMs: number, left: number): StoryLine {
  const text = left === 1 ? 'a line is left out' : `${left} lines are left out`;
  return { atMs, actor: '…', kind: 'log', text };
}

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
