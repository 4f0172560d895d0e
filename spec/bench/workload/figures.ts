import { megabytes, perSecond, type Figure } from '../bench.ts';
import type { Outcome } from './contest.ts';

/** A figure of one contestant, to be compared with those of the others. */
function of(contestant: string, figure: Figure, compared: boolean): Figure {
  return { ...figure, contestant, compared };
}

/** Time and processor time of the first list, and the most memory that was resident. */
export function syncFigures(outcomes: readonly Outcome[]): Figure[] {
  return bySubject(outcomes, ({ result }) => [
    [{ name: 'sync', value: result.syncMs / 1000, unit: 's' }, true],
    [{ name: 'sync, CPU', value: result.syncCpuMs / 1000, unit: 's' }, true],
    [megabytes('peak resident', result.peakRssBytes), false],
  ]);
}

/** Work in the background after the last event counts as well, where it is known. */
export function watchFigures(outcomes: readonly Outcome[], prefix = ''): Figure[] {
  return bySubject(outcomes, ({ result }) => [
    [perSecond(`${prefix}events`, result.events, result.watchMs), true],
    [
      {
        name: `${prefix}CPU of an event`,
        value: ((result.watchCpuMs + (result.watchAfterCpuMs ?? 0)) / result.events) * 1000,
        unit: 'µs',
      },
      true,
    ],
    [megabytes(`${prefix}peak resident`, result.peakRssBytes), false],
  ]);
}

export function memoryFigures(outcomes: readonly Outcome[], objects: number): Figure[] {
  return bySubject(outcomes, ({ result }) => {
    const bytes = result.rssBytes - result.baseRssBytes;
    return [
      [{ name: 'resident for an object', value: bytes / objects / 1000, unit: 'KB' }, true],
      [
        {
          name: 'CPU until it is quiet',
          value: (result.syncCpuMs + (result.settleCpuMs ?? 0)) / 1000,
          unit: 's',
        },
        false,
      ],
      [megabytes('resident', result.rssBytes), false],
      [megabytes('peak resident', result.peakRssBytes), false],
    ];
  });
}

export function loopFigures(outcomes: readonly Outcome[]): Figure[] {
  return bySubject(outcomes, ({ result }) => [
    [
      { name: '99.9 % of the pauses are below', value: result.loopDelayP999Ms ?? 0, unit: 'ms' },
      false,
    ],
    [{ name: 'longest pause', value: result.loopDelayMaxMs ?? 0, unit: 'ms' }, false],
    [{ name: 'sync', value: result.syncMs / 1000, unit: 's' }, false],
  ]);
}

export function latencyFigures(outcomes: readonly Outcome[]): Figure[] {
  return bySubject(outcomes, ({ result }) => [
    [{ name: 'half within', value: result.latencyP50Ms ?? Number.NaN, unit: 'ms' }, true],
    [{ name: '99 % within', value: result.latencyP99Ms ?? Number.NaN, unit: 'ms' }, true],
  ]);
}

/** Each figure for all contestants, then the next figure. */
function bySubject(
  outcomes: readonly Outcome[],
  figuresOf: (outcome: Outcome) => readonly (readonly [figure: Figure, compared: boolean])[],
): Figure[] {
  const all = outcomes.map((outcome) =>
    figuresOf(outcome).map(([figure, compared]) => of(outcome.contestant, figure, compared)),
  );
  return (all[0] ?? []).flatMap((_, place) => all.flatMap((figures) => figures[place] ?? []));
}
