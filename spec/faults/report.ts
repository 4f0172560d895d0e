import type { Fault } from './fault.ts';
import type { Verdict } from './run-case.ts';

export interface ReportOptions {
  readonly colours: boolean;
  /** Characters in a line. */
  readonly width: number;
  readonly seed: string;
}

const NAME_WIDTH = 26;
const NUMBERS_WIDTH = 20;

/** One line a fault and contestant, and below a red one what was wrong and how to see it again. */
export function describeVerdict(verdict: Verdict, options: ReportOptions): string[] {
  const { ok, convergedMs, requests, fault, story, contestant } = verdict;
  const { colours, width, seed } = options;
  const paint = (code: number, text: string): string =>
    colours ? `\u001B[${code}m${text}\u001B[0m` : text;
  const mark = ok ? paint(32, '✓') : paint(31, '✗');
  const took = convergedMs === undefined ? 'never' : `${convergedMs} ms`;
  const asked = `${requests.total} (${requests.perSecond}/s)`;
  const what = story.slice(0, Math.max(20, width - NAME_WIDTH - NUMBERS_WIDTH - 6));
  const numbers = `${took.padStart(9)} ${asked.padStart(10)}`;
  const lines = [`${mark} ${fault.padEnd(NAME_WIDTH)}${numbers}  ${paint(2, what)}`];
  if (ok) return lines;
  for (const wrong of problemsOf(verdict)) lines.push(`    ${wrong}`);
  if (contestant === 'listwatch') {
    lines.push(paint(2, `    again: npm run check -- faults --only ${fault} --seed ${seed}`));
  }
  return lines;
}

/** The reasons for which a verdict is red. */
export function problemsOf(verdict: Verdict): string[] {
  const { convergedMs, requests, bound, survived, complaints } = verdict;
  const problems = [...complaints];
  if (convergedMs === undefined) problems.push('never agreed with the server again');
  if (!survived) problems.push('the process did not survive');
  if (requests.total > bound.total || requests.perSecond > bound.perSecond) {
    problems.push(
      `asked ${requests.total} times, ${requests.perSecond} times in one second; at most ${bound.total} and ${bound.perSecond} are fine`,
    );
  }
  for (const kind of ['lost', 'repeated', 'disordered', 'invented'] as const) {
    const events = verdict[kind];
    if (events.length > 0) {
      problems.push(`${events.length} events ${kind}: ${events.slice(0, 3).join('; ')}`);
    }
  }
  return problems;
}

/** A table with a column for each contestant; below it, how many faults each survived. */
export function compare(
  contestants: readonly string[],
  verdicts: readonly Verdict[],
  { width, colours }: ReportOptions,
): string[] {
  const column = Math.max(20, Math.floor((width - NAME_WIDTH) / contestants.length));
  const cell = (text: string): string => text.slice(0, column - 2).padEnd(column);
  const lines = ['', ' '.repeat(NAME_WIDTH) + contestants.map(cell).join('')];
  const faults = [...new Set(verdicts.map(({ fault }) => fault))];
  for (const fault of faults) {
    const cells = contestants.map((contestant) => {
      const verdict = verdicts.find((one) => one.fault === fault && one.contestant === contestant);
      if (verdict === undefined) return cell('');
      const text = cell(`${verdict.ok ? '✓' : '✗'} ${inShort(verdict)}`);
      return colours ? `\u001B[${verdict.ok ? 32 : 31}m${text}\u001B[0m` : text;
    });
    lines.push(fault.padEnd(NAME_WIDTH) + cells.join(''));
  }
  const totals = contestants.map((contestant) => {
    const theirs = verdicts.filter((verdict) => verdict.contestant === contestant);
    return cell(`${theirs.filter(({ ok }) => ok).length} of ${theirs.length}`);
  });
  lines.push('survived'.padEnd(NAME_WIDTH) + totals.join(''));
  return lines;
}

function inShort(verdict: Verdict): string {
  const { ok, survived, convergedMs, requests, bound, complaints } = verdict;
  const took = convergedMs === undefined ? 'never' : `${(convergedMs / 1000).toFixed(1)} s`;
  if (ok) return took;
  const wrong = (['lost', 'repeated', 'disordered', 'invented'] as const)
    .filter((kind) => verdict[kind].length > 0)
    .map((kind) => `${verdict[kind].length} ${kind}`);
  if (!survived) wrong.unshift('process died');
  if (requests.total > bound.total || requests.perSecond > bound.perSecond) {
    wrong.push(`${requests.perSecond} requests/s`);
  }
  return [took, ...wrong, ...(wrong.length === 0 ? complaints : [])].join(', ');
}

export function describeFault({ name, what }: Fault): string {
  return `${name.padEnd(NAME_WIDTH)} ${what}`;
}

export function heading(contestant: string): string {
  return `${contestant}\n  ${'fault'.padEnd(NAME_WIDTH)}${'caught up'.padStart(9)} ${'requests'.padStart(10)}  what happened`;
}
