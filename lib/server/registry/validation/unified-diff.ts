/** Lines before and after a change that are shown with it. */
const CONTEXT = 3;
/** From this number of lines on, lines that are there too often do not start a match. */
const MANY_LINES = 200;
/** Longer texts are compared from their ends only, because the search for matches takes the square of the time. */
const MOST_LINES = 4000;

/** A run of lines that both texts have: where it begins in each, and how long it is. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly isEqual: boolean;
  readonly a: readonly [number, number];
  readonly b: readonly [number, number];
}

/**
 * What differs between two texts, as Go's library difflib writes it: `@@ -1,4 +1,4 @@`, then the lines with a sign before them.
 * @see apimachinery pkg/util/diff/diff.go @ v0.36.3
 */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n');
  const b = after.split('\n');
  let text = '';
  for (const group of groupsOf(changesOf(matchesOf(a, b), a.length, b.length))) {
    const first = group[0] as Change;
    const last = group.at(-1) as Change;
    text += `@@ -${rangeOf(first.a[0], last.a[1])} +${rangeOf(first.b[0], last.b[1])} @@\n`;
    for (const { isEqual, a: from, b: to } of group) {
      if (isEqual) text += signed(' ', a.slice(...from));
      else text += signed('-', a.slice(...from)) + signed('+', b.slice(...to));
    }
  }
  return text;
}

function signed(sign: string, lines: readonly string[]): string {
  return lines.map((line) => `${sign}${line}\n`).join('');
}

function rangeOf(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  if (Math.max(a.length, b.length) > MOST_LINES) return endsOf(a, b);
  const places = placesOf(b);
  const found: Match[] = [];
  const open: (readonly [number, number, number, number])[] = [[0, a.length, 0, b.length]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [aStart, aEnd, bStart, bEnd] = range;
    const match = longestMatch(a, b, places, range);
    if (match.size === 0) continue;
    found.push(match);
    if (aStart < match.a && bStart < match.b) open.push([aStart, match.a, bStart, match.b]);
    const [aNext, bNext] = [match.a + match.size, match.b + match.size];
    if (aNext < aEnd && bNext < bEnd) open.push([aNext, aEnd, bNext, bEnd]);
  }
  return found.toSorted((one, other) => one.a - other.a);
}

/** The equal lines at the begin and at the end. */
function endsOf(a: readonly string[], b: readonly string[]): Match[] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [
    { a: 0, b: 0, size: head },
    { a: a.length - tail, b: b.length - tail, size: tail },
  ];
}

/** The places of each line, without lines that are too frequent to say something. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const found = places.get(line);
    if (found === undefined) places.set(line, [index]);
    else found.push(index);
  }
  if (lines.length < MANY_LINES) return places;
  const most = Math.floor(lines.length / 100) + 1;
  return new Map([...places].filter(([, found]) => found.length <= most));
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [aStart, aEnd, bStart, bEnd]: readonly [number, number, number, number],
): Match {
  let best: Match = { a: aStart, b: bStart, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aStart; i < aEnd; i += 1) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < bStart) continue;
      if (j >= bEnd) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  // Frequent lines beside the match belong to it.
  let { a: start, b: other, size } = best;
  while (start > aStart && other > bStart && a[start - 1] === b[other - 1]) {
    start -= 1;
    other -= 1;
    size += 1;
  }
  while (start + size < aEnd && other + size < bEnd && a[start + size] === b[other + size]) {
    size += 1;
  }
  return { a: start, b: other, size };
}

/** The lines between matches are changes; matches that touch are one. */
function changesOf(matches: readonly Match[], aLength: number, bLength: number): Change[] {
  const changes: Change[] = [];
  let [a, b] = [0, 0];
  for (const match of [...matches, { a: aLength, b: bLength, size: 0 }]) {
    if (a < match.a || b < match.b) {
      changes.push({ isEqual: false, a: [a, match.a], b: [b, match.b] });
    }
    [a, b] = [match.a + match.size, match.b + match.size];
    const before = changes.at(-1);
    if (match.size === 0) continue;
    if (before?.isEqual === true) {
      changes[changes.length - 1] = { isEqual: true, a: [before.a[0], a], b: [before.b[0], b] };
    } else changes.push({ isEqual: true, a: [match.a, a], b: [match.b, b] });
  }
  return changes;
}

/** The changes with the lines around them; changes that are near share a group. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const [index, { isEqual, a, b }] of changes.entries()) {
    if (!isEqual) {
      group.push({ isEqual, a, b });
      continue;
    }
    const size = a[1] - a[0];
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    const head = Math.min(size, CONTEXT);
    const start: Change = { isEqual, a: [a[0], a[0] + head], b: [b[0], b[0] + head] };
    const end: Change = { isEqual, a: [a[1] - head, a[1]], b: [b[1] - head, b[1]] };
    if (isFirst) group.push(end);
    else if (isLast) group.push(start);
    else if (size <= 2 * CONTEXT) group.push({ isEqual, a, b });
    else {
      groups.push([...group, start]);
      group = [end];
    }
  }
  if (group.some(({ isEqual }) => !isEqual)) groups.push(group);
  return groups;
}
