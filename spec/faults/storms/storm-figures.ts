/** The effect of a storm on the informers of one client; figures that were not measured are left out. */
export interface StormFigures {
  readonly storm: string;
  readonly informers: number;
  /** Share of the time in which a watch was open, 0 to 1, over all informers. */
  readonly watching?: number | undefined;
  /** Share of the time that was spent backing off. */
  readonly backingOff?: number | undefined;
  /** Most requests of all informers in any one second, from the start of the storm to its end. */
  readonly mostASecond?: number | undefined;
  /** From the last fault until all watched and agreed with the server, seconds. */
  readonly resumedS?: number | undefined;
  /** From the last byte until the silence was noticed by all, seconds. */
  readonly noticedS?: number | undefined;
  /** Lists after the first one. */
  readonly relists?: number | undefined;
  /** Deletions that were notified with the last known state. */
  readonly unknownDeletions?: number | undefined;
}

/** Most of these moments, in milliseconds, that lie within any one second. */
export function mostASecond(moments: readonly number[]): number {
  let most = 0;
  let start = 0;
  for (let end = 0; end < moments.length; end += 1) {
    while (moments[end]! - moments[start]! >= 1000) start += 1;
    most = Math.max(most, end - start + 1);
  }
  return most;
}

const NAME_WIDTH = 42;

export function stormHeading(): string {
  const columns = ['informers', 'watching', 'waiting', 'asks/s', 'resumed', 'noticed', 'relists'];
  return `  ${'storm'.padEnd(NAME_WIDTH)}${columns.map((column) => column.padStart(10)).join('')}  deletions unknown`;
}

/** One line a storm. */
export function describeStorm(figures: StormFigures): string {
  const { storm, informers, watching, backingOff, relists, unknownDeletions } = figures;
  const cells = [
    String(informers),
    percent(watching),
    percent(backingOff),
    figures.mostASecond === undefined ? '' : String(figures.mostASecond),
    seconds(figures.resumedS),
    seconds(figures.noticedS),
    relists === undefined ? '' : String(relists),
  ];
  const unknown = unknownDeletions === undefined ? '' : String(unknownDeletions);
  return `  ${storm.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(10)).join('')}  ${unknown}`.trimEnd();
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(1)} %`;
}

function seconds(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(1)} s`;
}
