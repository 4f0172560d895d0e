import type { StoryLine } from './story-lines.ts';

/** Lines before and after a fault that are shown with it. */
const AROUND = 8;

const TURNS: ReadonlySet<StoryLine['kind']> = new Set(['step', 'fault', 'start', 'crash', 'exit']);

/** The objects and processes that a failed run concerns. */
export interface Topic {
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
