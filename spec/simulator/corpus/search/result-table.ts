import type { BugResult } from './bug-result.ts';
import { bugOf } from './search-bug.ts';

export const HEADING: string = row([
  'bug',
  'version',
  'found by',
  'runs',
  'seconds',
  'processor s',
  'virtual h',
  'faults',
  'findings',
]);

/** One line of a result, and below it one for each cause of alarms of a fixed version, with an example. */
export function resultLines(result: BugResult): string {
  const { name, version, runs, searchMs, processorMs, virtualMs, found, alarms, complete } = result;
  const [first] = found;
  const wasFound = first !== undefined && version === 'wrong';
  const line = row([
    name,
    version,
    wasFound ? first.origin : foundBy(result),
    `${wasFound ? first.runsToFind : runs}${complete || wasFound ? '' : ' (budget)'}`,
    seconds(searchMs),
    seconds(processorMs),
    (virtualMs / 3_600_000).toFixed(1),
    wasFound ? `${first.faults} -> ${first.faultsShrunk}` : '',
    wasFound ? first.classes.join(', ') : `${alarms} alarms`,
  ]);
  if (version === 'wrong') return line;
  const notified = found.map(
    ({ origin, cause, runs: failed, first: text, plan }) =>
      `    ${failed} of ${cause}\n      ${origin}: ${text}\n      ${plan}`,
  );
  return [line, ...notified].join('\n');
}

/** Medians and the worst, and alarms per run. */
export function summaryLines(results: readonly BugResult[]): string {
  const wrong = results.filter(({ version }) => version === 'wrong');
  const found = wrong.filter((one) => one.found.length > 0);
  const fixed = results.filter(({ version }) => version === 'fixed');
  const lines: string[] = [];
  if (wrong.length > 0) {
    const missing = wrong.filter((one) => one.found.length === 0).map(({ name }) => name);
    lines.push(
      `wrong: ${found.length} of ${wrong.length} found${missing.length > 0 ? `; not found: ${missing.join(', ')}` : ''}`,
      `  runs until found: ${spread(found.map((one) => one.found[0]?.runsToFind ?? 0))}`,
      `  seconds until found: ${spread(found.map(({ searchMs }) => searchMs / 1000))}`,
      `  of a processor: ${spread(found.map(({ processorMs }) => processorMs / 1000))}`,
      `  faults of the smallest plan: ${spread(found.map((one) => one.found[0]?.faultsShrunk ?? 0))}`,
    );
  }
  if (fixed.length > 0) {
    const runs = fixed.reduce((sum, one) => sum + one.runs, 0);
    const alarms = fixed.reduce((sum, one) => sum + one.alarms, 0);
    const loud = fixed.filter((one) => one.alarms > 0).map((one) => `${one.name} ${one.alarms}`);
    const share = runs === 0 ? 0 : (100 * alarms) / runs;
    const open = fixed.filter(({ name }) => bugOf(name).upstream.leftOpen !== undefined);
    lines.push(
      `fixed: ${alarms} alarms in ${runs} runs (${share.toFixed(2)} %)${loud.length > 0 ? `: ${loud.join(', ')}` : ''}`,
      ...open.map(({ name }) => `  left open upstream: ${name}: ${bugOf(name).upstream.leftOpen}`),
    );
  }
  return lines.join('\n');
}

function foundBy({ version }: BugResult): string {
  return version === 'wrong' ? 'NOT FOUND' : '';
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const worst = sorted.at(-1);
  if (middle === undefined || worst === undefined) return 'none';
  const text = (number: number): string => number.toFixed(Number.isInteger(number) ? 0 : 1);
  return `median ${text(middle)}, worst ${text(worst)}`;
}

function row(cells: readonly string[]): string {
  const widths = [24, 7, 20, 14, 8, 12, 10, 8];
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd();
}
