/** A line of a table, and the minor versions that have it. */
interface VersionedLine {
  readonly line: string;
  readonly minors: Set<number>;
}

/** The lines of one minor version. */
export type MinorLines = readonly [minor: number, lines: readonly string[]];

/**
 * The lines of several minor versions as one table, which `textOfMinor` reads: a line that only some of them have begins with the first
 * and the last of these.
 * @throws {Error} for a line that a version between the first and the last does not have: the notation cannot say that.
 */
export function versionedLines(versions: readonly MinorLines[]): string[] {
  const newestFirst = versions.toSorted(([one], [other]) => other - one);
  const minors = newestFirst.map(([minor]) => minor).toReversed();
  let merged: VersionedLine[] = [];
  for (const [minor, lines] of newestFirst) merged = withVersion(merged, minor, lines);
  return merged.map((one) => markOf(one, minors) + one.line);
}

/** Lines that only the new version has stand behind those that it shares with the others. */
function withVersion(
  merged: readonly VersionedLine[],
  minor: number,
  lines: readonly string[],
): VersionedLine[] {
  const result: VersionedLine[] = [];
  let from = 0;
  let own = 0;
  for (const [at, ofOwn] of commonLines(merged, lines)) {
    result.push(...merged.slice(from, at), ...newLines(lines.slice(own, ofOwn), minor));
    const shared = merged[at] as VersionedLine;
    shared.minors.add(minor);
    result.push(shared);
    [from, own] = [at + 1, ofOwn + 1];
  }
  return [...result, ...merged.slice(from), ...newLines(lines.slice(own), minor)];
}

function newLines(lines: readonly string[], minor: number): VersionedLine[] {
  return lines.map((line) => ({ line, minors: new Set([minor]) }));
}

/** The places of a longest common subsequence, in both. */
function commonLines(
  merged: readonly VersionedLine[],
  lines: readonly string[],
): [at: number, ofOwn: number][] {
  const width = lines.length + 1;
  const lengths = new Uint32Array((merged.length + 1) * width);
  const lengthAt = (at: number, own: number): number => lengths[at * width + own] ?? 0;
  for (let at = merged.length - 1; at >= 0; at -= 1) {
    for (let own = lines.length - 1; own >= 0; own -= 1) {
      lengths[at * width + own] =
        merged[at]?.line === lines[own]
          ? lengthAt(at + 1, own + 1) + 1
          : Math.max(lengthAt(at + 1, own), lengthAt(at, own + 1));
    }
  }
  const found: [number, number][] = [];
  for (let at = 0, own = 0; at < merged.length && own < lines.length; ) {
    if (merged[at]?.line === lines[own]) found.push([at++, own++]);
    else if (lengthAt(at + 1, own) >= lengthAt(at, own + 1)) at += 1;
    else own += 1;
  }
  return found;
}

function markOf({ line, minors }: VersionedLine, all: readonly number[]): string {
  const own = all.filter((minor) => minors.has(minor));
  const [first, last] = [own[0] as number, own.at(-1) as number];
  const from = all.indexOf(first);
  const to = all.indexOf(last);
  if (to - from + 1 !== own.length) throw new Error(`only ${own.join(' and ')} have ${line}`);
  if (own.length === all.length) return '';
  return `[${from === 0 ? '' : first}..${to === all.length - 1 ? '' : last}]`;
}
