import type { DifferenceLine } from '../contract/inspector-snapshot.ts';

/** Cells of the table of the longest common subsequence; larger changes are shown as a whole. */
const MOST_CELLS = 4_000_000;

/** Turns the lines of one text into those of another: `-` is in the first one only, `+` in the second one only. */
export function lineDifference(
  before: readonly string[],
  after: readonly string[],
): readonly DifferenceLine[] {
  let head = 0;
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail += 1;
  }
  return [
    ...marked(' ', before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...marked(' ', before.slice(before.length - tail)),
  ];
}

function marked(mark: DifferenceLine['mark'], texts: readonly string[]): DifferenceLine[] {
  return texts.map((text) => ({ mark, text }));
}

function middle(before: readonly string[], after: readonly string[]): DifferenceLine[] {
  if ((before.length + 1) * (after.length + 1) > MOST_CELLS) {
    return [...marked('-', before), ...marked('+', after)];
  }
  const lengths = commonLengths(before, after);
  const width = after.length + 1;
  const lines: DifferenceLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      lines.push({ mark: ' ', text: before[row] as string });
      row += 1;
      column += 1;
      continue;
    }
    const skipBefore = row < before.length ? (lengths[(row + 1) * width + column] as number) : -1;
    const skipAfter = column < after.length ? (lengths[row * width + column + 1] as number) : -1;
    if (skipBefore >= skipAfter) {
      lines.push({ mark: '-', text: before[row] as string });
      row += 1;
    } else {
      lines.push({ mark: '+', text: after[column] as string });
      column += 1;
    }
  }
  return lines;
}

/** For each pair of places, the length of the longest common subsequence of what follows. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] =
        before[row] === after[column]
          ? (lengths[at + width + 1] as number) + 1
          : Math.max(lengths[at + width] as number, lengths[at + 1] as number);
    }
  }
  return lengths;
}
