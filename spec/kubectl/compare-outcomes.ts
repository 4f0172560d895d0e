import { canonical } from '../compare/normalise.ts';
import type { Outcome } from './run-command.ts';

/** One command, and the lines in which its outcome differs from the recorded one. */
export interface ComparedOutcome {
  readonly id: string;
  readonly differences: readonly string[];
  readonly sameExit: boolean;
}

/** Compares outcomes with recorded ones; commands that were not recorded are left out. */
export function compareOutcomes(
  outcomes: ReadonlyMap<string, Outcome>,
  recorded: ReadonlyMap<string, Outcome>,
): ComparedOutcome[] {
  return [...outcomes].flatMap(([id, ours]) => {
    const real = recorded.get(id);
    if (real === undefined) return [];
    const exit =
      real.exit === ours.exit ? [] : [`real exit ${real.exit} | embedded exit ${ours.exit}`];
    const differences = [
      ...exit,
      ...lineDifferences('stdout', real.stdout, ours.stdout),
      ...lineDifferences('stderr', real.stderr, ours.stderr),
    ].filter((line) => !(WITHOUT_ORDER.test(id) && line.endsWith(OTHER_ORDER)));
    return [{ id, differences, sameExit: exit.length === 0 }];
  });
}

const LONGEST_LINE = 240;
const OTHER_ORDER = 'the same lines in another order';
/** kubectl prints a map in the order of Go, which is another one in each run. */
const WITHOUT_ORDER = /: (?:label|annotate) .*--list$/;

/** Lines that only one of them has, `-` the real server's. */
function lineDifferences(stream: string, real: string, ours: string): string[] {
  if (real === ours) return [];
  const [theirs, mine] = [linesOf(real), linesOf(ours)];
  const missing = without(theirs, mine).map((line) => `${stream} - ${line.slice(0, LONGEST_LINE)}`);
  const extra = without(mine, theirs).map((line) => `${stream} + ${line.slice(0, LONGEST_LINE)}`);
  const all = [...missing, ...extra];
  if (all.length > 0 || areTheSame(theirs, mine)) return all;
  return [`${stream}: ${OTHER_ORDER}`];
}

/** Lines of JSON with their members in one order, which is no part of an answer. */
function linesOf(text: string): string[] {
  return text.split('\n').map((line) => {
    if (!line.startsWith('{"')) return line;
    try {
      return canonical(JSON.parse(line));
    } catch {
      return line;
    }
  });
}

function areTheSame(theirs: readonly string[], mine: readonly string[]): boolean {
  return theirs.every((line, index) => line === mine[index]);
}

/** Each line counts as often as it comes. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}
