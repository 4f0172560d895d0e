import type { Figure } from './bench.ts';

/** Least, middle and greatest of several. */
export interface Spread {
  /** In the order of the runs. */
  readonly samples: readonly number[];
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** One figure over all runs of its bench. */
export interface Row extends Spread {
  readonly bench: string;
  readonly figure: string;
  readonly contestant?: string | undefined;
  readonly unit: string;
}

/** How many times better one of ours is than another, run by run; above 1 it is better. */
export interface Ratio extends Spread {
  readonly bench: string;
  readonly figure: string;
  readonly ours: string;
  readonly peer: string;
}

const isOurs = (contestant: string): boolean => /^ours\b/.test(contestant);

/** The figures of all runs of one bench, side by side. */
export function rowsOf(bench: string, runs: readonly (readonly Figure[])[]): Row[] {
  const [first = []] = runs;
  return first.map((figure) => {
    const { name, unit, contestant } = figure;
    const who = contestant === undefined ? {} : { contestant };
    return { bench, figure: name, ...who, unit, ...spreadOf(samplesOf(figure, runs)) };
  });
}

/** Each of ours beside each of the others, for the figures that are compared. */
export function ratiosOf(bench: string, runs: readonly (readonly Figure[])[]): Ratio[] {
  const compared = (runs[0] ?? []).filter(({ compared }) => compared === true);
  const ratios: Ratio[] = [];
  for (const mine of compared) {
    if (!isOurs(mine.contestant ?? '')) continue;
    for (const other of compared) {
      if (other.name !== mine.name || isOurs(other.contestant ?? '')) continue;
      const theirs = samplesOf(other, runs);
      const samples = samplesOf(mine, runs).map((value, run) =>
        mine.unit === '/s' ? value / (theirs[run] ?? NaN) : (theirs[run] ?? NaN) / value,
      );
      const ours = mine.contestant ?? '';
      const peer = other.contestant ?? '';
      ratios.push({ bench, figure: mine.name, ours, peer, ...spreadOf(samples) });
    }
  }
  return ratios;
}

function samplesOf(
  { name, contestant }: Figure,
  runs: readonly (readonly Figure[])[],
): readonly number[] {
  return runs.map(
    (run) =>
      run.find((figure) => figure.name === name && figure.contestant === contestant)?.value ?? NaN,
  );
}

function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((left, right) => left - right);
  const at = (place: number): number => sorted[place] ?? NaN;
  const last = sorted.length - 1;
  const median = (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2;
  return { samples, min: at(0), median, max: at(last) };
}

/** A table for people. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ bench, figure, contestant, unit, min, median, max }) => {
    const what = contestant === undefined ? figure : `${figure}: ${contestant}`;
    return [bench, what, digits(min), digits(median), digits(max), unit];
  });
  return aligned(['bench', 'figure', 'min', 'median', 'max', ''], [0, 1, 5], lines);
}

/** How many times better, for people: a table a bench, ours against the others; empty when nothing is compared. */
export function ratioTables(ratios: readonly Ratio[]): string[] {
  return [...new Set(ratios.map(({ bench }) => bench))].map((bench) => {
    const all = ratios.filter((ratio) => ratio.bench === bench);
    const peers = [...new Set(all.map(({ peer }) => peer))];
    const mine = new Map(all.map((one) => [`${one.figure}\0${one.ours}`, one]));
    const lines = Array.from(mine.values(), ({ figure, ours }) => {
      const against = peers.map((peer) => {
        const ratio = all.find(
          (one) => one.figure === figure && one.ours === ours && one.peer === peer,
        );
        return ratio === undefined ? '' : spreadText(ratio);
      });
      return [`${figure}: ${ours}`, ...against];
    });
    return aligned([`${bench}, times better than`, ...peers], [0], lines);
  });
}

/** The middle, and how far the runs lie apart. */
function spreadText({ samples, min, median, max }: Spread): string {
  const middle = digits(median);
  return samples.length < 2 ? middle : `${middle} (${digits(min)}-${digits(max)})`;
}

/** Columns of text; those that are not text columns are aligned to the right. */
export function aligned(
  head: readonly string[],
  textColumns: readonly number[],
  lines: readonly (readonly string[])[],
): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return textColumns.includes(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Three digits that count, and thousands apart. */
export function digits(value: number): string {
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
