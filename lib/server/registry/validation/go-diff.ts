import { goJson } from '../rules/go-text.ts';

/** How many equal lines are shown around a change. */
const CONTEXT = 3;
/** From this number of lines on, frequent lines do not start a match. */
const LONG = 200;

interface Match {
  readonly at: number;
  readonly other: number;
  readonly size: number;
}

/** A run of lines: equal ones, or those of the old text that the new ones replace. */
interface Run {
  readonly isEqual: boolean;
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/**
 * The difference of two values as messages about immutable fields show it: a unified diff of their indented JSON.
 * @see apimachinery pkg/util/diff/diff.go @ v0.36.3
 */
export function goDiff(before: unknown, after: unknown): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let text = '';
  for (const group of groupsOf(runsOf(matchesOf(old, now), old.length, now.length))) {
    const [first, last] = [group[0], group.at(-1)] as [Run, Run];
    text += `@@ -${rangeOf(first.start, last.end)} +${rangeOf(first.otherStart, last.otherEnd)} @@\n`;
    for (const { isEqual, start, end, otherStart, otherEnd } of group) {
      for (const line of old.slice(start, end)) text += `${isEqual ? ' ' : '-'}${line}\n`;
      if (isEqual) continue;
      for (const line of now.slice(otherStart, otherEnd)) text += `+${line}\n`;
    }
  }
  return text;
}

function linesOf(value: unknown): readonly string[] {
  return goJson(value, 1).split('\n');
}

function rangeOf(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** The longest matches, and those on both sides of each, in their order. */
function matchesOf(old: readonly string[], now: readonly string[]): readonly Match[] {
  const places = new Map<string, number[]>();
  for (const [at, line] of now.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else known.push(at);
  }
  if (now.length >= LONG) {
    const most = Math.floor(now.length / 100) + 1;
    for (const [line, known] of places) if (known.length > most) places.delete(line);
  }
  const found: Match[] = [];
  const parts: (readonly [number, number, number, number])[] = [[0, old.length, 0, now.length]];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [start, end, otherStart, otherEnd] = part;
    const match = longest(old, now, places, part);
    if (match.size === 0) continue;
    found.push(match);
    parts.push([start, match.at, otherStart, match.other]);
    parts.push([match.at + match.size, end, match.other + match.size, otherEnd]);
  }
  return joined(found.toSorted((one, two) => one.at - two.at));
}

function longest(
  old: readonly string[],
  now: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [start, end, otherStart, otherEnd]: readonly [number, number, number, number],
): Match {
  let best: Match = { at: start, other: otherStart, size: 0 };
  let lengths = new Map<number, number>();
  for (let at = start; at < end; at += 1) {
    const next = new Map<number, number>();
    for (const other of places.get(old[at] as string) ?? []) {
      if (other < otherStart || other >= otherEnd) continue;
      const size = (lengths.get(other - 1) ?? 0) + 1;
      next.set(other, size);
      if (size > best.size) best = { at: at - size + 1, other: other - size + 1, size };
    }
    lengths = next;
  }
  let { at, other, size } = best;
  while (at > start && other > otherStart && old[at - 1] === now[other - 1]) {
    [at, other, size] = [at - 1, other - 1, size + 1];
  }
  while (at + size < end && other + size < otherEnd && old[at + size] === now[other + size]) {
    size += 1;
  }
  return { at, other, size };
}

/** Matches that touch are one. */
function joined(matches: readonly Match[]): readonly Match[] {
  const result: Match[] = [];
  for (const match of matches) {
    const last = result.at(-1);
    if (
      last !== undefined &&
      last.at + last.size === match.at &&
      last.other + last.size === match.other
    ) {
      result[result.length - 1] = { ...last, size: last.size + match.size };
    } else result.push(match);
  }
  return result;
}

function runsOf(matches: readonly Match[], length: number, otherLength: number): readonly Run[] {
  const runs: Run[] = [];
  let start = 0;
  let otherStart = 0;
  for (const { at, other, size } of [...matches, { at: length, other: otherLength, size: 0 }]) {
    if (at > start || other > otherStart) {
      runs.push({ isEqual: false, start, end: at, otherStart, otherEnd: other });
    }
    start = at + size;
    otherStart = other + size;
    if (size > 0) {
      runs.push({ isEqual: true, start: at, end: start, otherStart: other, otherEnd: otherStart });
    }
  }
  return runs;
}

/** The changes with the equal lines around them; changes that are near each other are in one group. */
function groupsOf(runs: readonly Run[]): readonly (readonly Run[])[] {
  const groups: Run[][] = [];
  let group: Run[] = [];
  for (const [index, run] of runs.entries()) {
    const head = index === 0 ? 0 : CONTEXT;
    const tail = index === runs.length - 1 ? 0 : CONTEXT;
    const isLong = run.isEqual && run.end - run.start > head + tail;
    if (!isLong) {
      group.push(run);
      continue;
    }
    group.push({ ...run, end: run.start + head, otherEnd: run.otherStart + head });
    if (index > 0) groups.push(group);
    group = [{ ...run, start: run.end - tail, otherStart: run.otherEnd - tail }];
  }
  if (group.some(({ isEqual }) => !isEqual)) groups.push(group);
  return groups;
}
