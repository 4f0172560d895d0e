/** A set of code points: ranges, and Unicode properties. */
export interface RuneSet {
  /** Pairs of the first and the last code point of a range. */
  readonly ranges: readonly number[];
  /** Each matches texts of one character. */
  readonly classes: readonly RegExp[];
  /** Whether the set has all other code points. */
  readonly negated: boolean;
  /** Whether characters that differ only in case count as the same. */
  readonly folds: boolean;
}

/** Characters whose case pairs are not found by converting them to lower and upper case. */
const OTHER_CASES = new Map([
  [0x6b, [0x212a]],
  [0x4b, [0x212a]],
  [0x73, [0x17f]],
  [0x53, [0x17f]],
  [0xe5, [0x212b]],
  [0xc5, [0x212b]],
  [0x3c9, [0x2126]],
  [0x3a9, [0x2126]],
  [0x3bc, [0xb5]],
  [0x3c3, [0x3c2]],
  [0x3a3, [0x3c2]],
  [0xdf, [0x1e9e]],
]);

/** Whether the set has a code point. */
export function hasRune(set: RuneSet, rune: number): boolean {
  let found = holds(set, rune);
  if (!found && set.folds) found = otherCases(rune).some((one) => holds(set, one));
  return found !== set.negated;
}

function holds({ ranges, classes }: RuneSet, rune: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (rune >= (ranges[at] as number) && rune <= (ranges[at + 1] as number)) return true;
  }
  if (classes.length === 0) return false;
  const text = String.fromCodePoint(rune);
  return classes.some((one) => one.test(text));
}

function otherCases(rune: number): number[] {
  const text = String.fromCodePoint(rune);
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  const cases = [lower, upper, lower.toUpperCase(), upper.toLowerCase()]
    .map((one) => one.codePointAt(0) as number)
    .filter((one, index, all) => one !== rune && all.indexOf(one) === index)
    .filter((one) => String.fromCodePoint(one).toLowerCase().length === lower.length);
  return [...cases, ...(OTHER_CASES.get(rune) ?? [])];
}

export const PERL_CLASSES: Readonly<Record<string, readonly number[]>> = {
  d: [0x30, 0x39],
  s: [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20],
  w: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
};

const LETTERS = [0x41, 0x5a, 0x61, 0x7a];

export const POSIX_CLASSES: Readonly<Record<string, readonly number[]>> = {
  alnum: [0x30, 0x39, ...LETTERS],
  alpha: LETTERS,
  ascii: [0, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0, 0x1f, 0x7f, 0x7f],
  digit: [0x30, 0x39],
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
};

export const LAST_RUNE = 0x10ffff;

/** The ranges of all code points that are not in these ranges. */
export function otherRanges(ranges: readonly number[]): number[] {
  const others: number[] = [];
  let next = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    if ((ranges[at] as number) > next) others.push(next, (ranges[at] as number) - 1);
    next = (ranges[at + 1] as number) + 1;
  }
  if (next <= LAST_RUNE) others.push(next, LAST_RUNE);
  return others;
}

/** The class of a Unicode category or script; undefined for an unknown name. */
export function unicodeClass(name: string, negated: boolean): RegExp | undefined {
  const escape = negated ? 'P' : 'p';
  const plain = name.replaceAll(/[\s_-]/g, '').toLowerCase();
  if (plain === 'any' || plain === 'ascii' || plain === 'assigned') {
    const property = { any: 'Any', ascii: 'ASCII', assigned: 'Assigned' }[plain];
    return new RegExp(`^\\${escape}{${property}}$`, 'u');
  }
  const words = name.trim().split(/[\s_-]+/);
  const cased = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
  for (const property of [
    `gc=${cased.join('_')}`,
    `gc=${name.toUpperCase()}`,
    `sc=${cased.join('_')}`,
  ]) {
    // A short name of a script is none in Go.
    if (property.startsWith('sc=') && property.length < 6) continue;
    try {
      return new RegExp(`^\\${escape}{${property}}$`, 'u');
    } catch {
      // The next form of the name.
    }
  }
  return undefined;
}
