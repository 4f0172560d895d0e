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

/** A run of lines: equal ones, or those of the old text that the new ones replace. */
interface Run {
  readonly isEqual: boolean;
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/**
 * The difference between two texts, as Go's library difflib writes it: `@@ -1,4 +1,4 @@`, then the lines with a sign before them.
 * @see apimachinery pkg/util/diff/diff.go @ v0.36.3
 */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n');
  const b = after.split('\n');
  let text = '';
  for (const group of groupsOf(runsOf(matchesOf(a, b), a.length, b.length))) {
    const [first, last] = [group[0], group.at(-1)] as [Run, Run];
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

/** There is a line in each, since a text of no line has an empty one. */
function rangeOf(start: number, end: number): string {
  const length = end - start;
  return length === 1 ? String(start + 1) : `${start + 1},${length}`;
}

/** The longest matches, and those on both sides of each, in their order. */
function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  if (Math.max(a.length, b.length) > MOST_LINES) return endsOf(a, b);
  const places = placesOf(b);
  const found: Match[] = [];
  const open: Run['a'][][] = [
    [
      [0, a.length],
      [0, b.length],
    ],
  ];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [inA, inB] = range as [Run['a'], Run['b']];
    const match = longestMatch(a, b, places, inA, inB);
    if (match.size === 0) continue;
    found.push(match);
    open.push([
      [inA[0], match.a],
      [inB[0], match.b],
    ]);
    open.push([
      [match.a + match.size, inA[1]],
      [match.b + match.size, inB[1]],
    ]);
  }
  return found.toSorted((one, other) => one.a - other.a);
}

/** The equal lines at the begin and at the end. */
function endsOf(a: readonly string[], b: readonly string[]): Match[] {
  const head = equalLines(a, b);
  const tail = equalLines(a.slice(head).toReversed(), b.slice(head).toReversed());
  return [
    { a: 0, b: 0, size: head },
    { a: a.length - tail, b: b.length - tail, size: tail },
  ];
}

/** How many lines are equal from the begin on. */
function equalLines(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((line, index) => line !== b[index]);
  return at === -1 ? a.length : at;
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
  [aStart, aEnd]: Run['a'],
  [bStart, bEnd]: Run['b'],
): Match {
  let best: Match = { a: aStart, b: bStart, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aStart; i < aEnd; i += 1) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < bStart || j >= bEnd) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  // Frequent lines beside the match belong to it: first the start moves, then the end.
  let { a: start, b: other, size } = best;
  while (start > aStart && other > bStart && a[start - 1] === b[other - 1]) {
    start -= 1;
    other -= 1;
  }
  while (start + size < aEnd && other + size < bEnd && a[start + size] === b[other + size]) {
    size += 1;
  }
  return { a: start, b: other, size };
}

/** The lines between matches are changes; matches that touch are one run. */
function runsOf(matches: readonly Match[], aLength: number, bLength: number): Run[] {
  const runs: Run[] = [];
  let [a, b] = [0, 0];
  for (const match of [...matches, { a: aLength, b: bLength, size: 0 }]) {
    const isApart = match.a > a || match.b > b;
    if (isApart) runs.push({ isEqual: false, a: [a, match.a], b: [b, match.b] });
    const before = isApart ? undefined : runs.pop();
    const [aStart, bStart] = [before?.a[0] ?? match.a, before?.b[0] ?? match.b];
    [a, b] = [match.a + match.size, match.b + match.size];
    runs.push({ isEqual: true, a: [aStart, a], b: [bStart, b] });
  }
  return runs;
}

/** The changes with the lines around them; changes that are near each other share a group. */
function groupsOf(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  let group: Run[] = [];
  for (const [index, run] of runs.entries()) {
    const { isEqual, a, b } = run;
    const head = index === 0 ? 0 : CONTEXT;
    const tail = index === runs.length - 1 ? 0 : CONTEXT;
    if (!isEqual || a[1] - a[0] <= head + tail) {
      group.push(run);
      continue;
    }
    if (index > 0)
      groups.push([...group, { isEqual, a: [a[0], a[0] + head], b: [b[0], b[0] + head] }]);
    group = [{ isEqual, a: [a[1] - tail, a[1]], b: [b[1] - tail, b[1]] }];
  }
  if (group.some(({ isEqual }) => !isEqual)) groups.push(group);
  return groups;
}
