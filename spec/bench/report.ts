import type { Figure } from './bench.ts';

/** One figure over all runs of its bench. */
export interface Row {
  readonly bench: string;
  readonly figure: string;
  readonly unit: string;
  /** In the order of the runs. */
  readonly samples: readonly number[];
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The figures of all runs of one bench, side by side. */
export function rowsOf(bench: string, runs: readonly (readonly Figure[])[]): Row[] {
  const [first = []] = runs;
  return first.map(({ name, unit }) => {
    const samples = runs.map((run) => run.find((figure) => figure.name === name)?.value ?? NaN);
    const sorted = samples.toSorted((left, right) => left - right);
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
    return { bench, figure: name, unit, samples, min: at(0), median: at(0.5), max: at(1) };
  });
}

const HEAD = ['bench', 'figure', 'min', 'median', 'max', ''];

/** A table for people. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ bench, figure, unit, min, median, max }) => {
    return [bench, figure, digits(min), digits(median), digits(max), unit];
  });
  const widths = HEAD.map((_, column) =>
    Math.max(...[HEAD, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const isText = (column: number): boolean => column < 2 || column === HEAD.length - 1;
  return [HEAD, ...lines]
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return isText(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Three digits that count, and thousands apart. */
function digits(value: number): string {
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
