/** Most characters of a name that is compared. */
const LONGEST = 64;

/**
 * The candidate that `name` probably means: one that differs by case only, or by one letter, in long names by two (an exchange
 * of two letters counts as one). Undefined if there is none, and for very short names.
 */
export function nearName(name: string, candidates: Iterable<string>): string | undefined {
  const asked = name.slice(0, LONGEST).toLowerCase();
  const most = asked.length > 5 ? 2 : asked.length > 3 ? 1 : 0;
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - asked.length) >= least) continue;
    const distance = distanceOf(asked, candidate.slice(0, LONGEST).toLowerCase());
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** Insertions, deletions, changes and exchanges of neighbours that turn one text into the other. */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (same ? 0 : 1),
      );
      const exchanged =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (exchanged) cost = Math.min(cost, (before[j - 2] as number) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[right.length] as number;
}
