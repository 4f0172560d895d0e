/** Indexes of an indexed job, written as `0,2-4`. @see pkg/apis/batch/validation/validation.go @ v1.36.3 */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/** How many indexes there are, or the words for what is wrong with the text. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(',')) {
    const interval = intervalOf(part, completions);
    if (typeof interval === 'string') return interval;
    const { first, last } = interval;
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

function intervalOf(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const first = indexOf(limits[0] as string, completions);
  if (typeof first === 'string' || limits.length === 1) {
    return typeof first === 'string' ? first : { first, last: first };
  }
  const last = indexOf(limits[1] as string, completions);
  if (typeof last === 'string') return last;
  return first >= last ? notIncreasing(first, last) : { first, last };
}

function indexOf(text: string, completions: number): number | string {
  const index = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(index)) {
    return `cannot convert string to integer for index: ${JSON.stringify(text)}`;
  }
  return index >= completions ? `too large index: ${JSON.stringify(text)}` : index;
}

/** The first index that both texts have; parts that cannot be read do not count. Both are in order. */
export function commonIndex(one: string, other: string, completions: number): number | undefined {
  if (one === '' || other === '') return undefined;
  const left = readable(one, completions);
  const right = readable(other, completions);
  let [at, opposite] = [0, 0];
  for (;;) {
    const [a, b] = [left[at], right[opposite]];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) at += 1;
    else opposite += 1;
  }
}

function readable(text: string, completions: number): Interval[] {
  return text.split(',').flatMap((part) => {
    const interval = intervalOf(part, completions);
    return typeof interval === 'string' ? [] : [interval];
  });
}
