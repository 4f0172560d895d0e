import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartSvg, type Chart, type Series } from './chart.ts';
import type { Row } from './report.ts';
import { AT } from './scale.bench.ts';

/** Where the pictures of docs/performance.md lie. */
export const PLOTS_FOLDER: string = join(import.meta.dirname, '../../docs/performance');

const SUBJECTS: readonly {
  readonly figure: string;
  readonly file: string;
  readonly chart: Omit<Chart, 'series'>;
}[] = [
  {
    figure: 'sync',
    file: 'sync.svg',
    chart: {
      title: 'Time until the first list is in the cache',
      xLabel: 'pods of 3.9 KB',
      yLabel: 'seconds',
    },
  },
  {
    figure: 'events',
    file: 'events.svg',
    chart: {
      title: 'Changes that reach a handler, which puts their keys into a queue',
      xLabel: 'pods of 3.9 KB in the cache',
      yLabel: 'events a second',
    },
  },
  {
    figure: 'resident memory',
    file: 'memory.svg',
    chart: {
      title: 'Resident memory of the cache after the changes',
      xLabel: 'pods of 3.9 KB',
      yLabel: 'MB',
    },
  },
];

/** The figures of the bench `scale` as one chart a subject; nothing for subjects that were not measured. */
export function plotsOf(rows: readonly Row[]): { readonly file: string; readonly svg: string }[] {
  return SUBJECTS.flatMap(({ figure, file, chart }) => {
    const series = seriesOf(rows, `${figure}${AT}`);
    return series.length === 0 ? [] : [{ file, svg: chartSvg({ ...chart, series }) }];
  });
}

export function writePlots(rows: readonly Row[], folder: string = PLOTS_FOLDER): string[] {
  mkdirSync(folder, { recursive: true });
  return plotsOf(rows).map(({ file, svg }) => {
    writeFileSync(join(folder, file), svg);
    return join(folder, file);
  });
}

function seriesOf(rows: readonly Row[], prefix: string): Series[] {
  const series = new Map<string, { x: number; y: number }[]>();
  for (const { figure, contestant, median } of rows) {
    if (contestant === undefined || !figure.startsWith(prefix)) continue;
    const points = series.get(contestant) ?? [];
    points.push({ x: Number(figure.slice(prefix.length)), y: median });
    series.set(contestant, points);
  }
  return Array.from(series, ([name, points]) => {
    return { name, points: points.toSorted((left, right) => left.x - right.x) };
  });
}
