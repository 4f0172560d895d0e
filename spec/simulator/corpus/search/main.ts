/**
 * Searches the bugs of the corpus, and alarms on their fixed versions:
 * `npm run check -- simulate-corpus [--seeds N] [--fixed-seeds N] [--only NAME[,NAME]] [--version wrong|fixed] [--processes P] [--budget SECONDS]
 * [--fixed-budget SECONDS] [--from SEED] [--seeds-only] [--json FILE]`. Budgets are of each bug, and processor time: see `ProcessorClock`.
 * `--seeds-only` leaves out the systematic plans. Exit code 1 when a bug is not found, or a fixed version has an alarm.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { knownBugs } from '../index.ts';
import type { BugTask } from './bug-result.ts';
import { HEADING, resultLines, summaryLines } from './result-table.ts';
import { bugOf } from './search-bug.ts';
import { searchAll } from './search-processes.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    'fixed-seeds': { type: 'string', default: '100' },
    only: { type: 'string' },
    version: { type: 'string' },
    processes: { type: 'string', default: String(availableParallelism()) },
    budget: { type: 'string', default: '120' },
    'fixed-budget': { type: 'string', default: '120' },
    from: { type: 'string', default: '1' },
    'seeds-only': { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

type NumberName = 'seeds' | 'fixed-seeds' | 'processes' | 'budget' | 'fixed-budget' | 'from';

function numberOf(name: NumberName): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= (name === 'processes' || name === 'from' ? 1 : 0))
    return number;
  throw new Error(`--${name} has to be a whole number, not "${values[name]}"`);
}

const { only, version, json } = values;
if (version !== undefined && version !== 'wrong' && version !== 'fixed') {
  throw new Error(`--version has to be "wrong" or "fixed", not "${version}"`);
}
const bugs = only === undefined ? knownBugs : only.split(',').map(bugOf);
const range = { from: numberOf('from'), systematic: !values['seeds-only'] };
const tasksOf = (of: BugTask['version'], seeds: number, budget: number): BugTask[] =>
  version === undefined || version === of
    ? bugs.map(({ name }) => ({ name, version: of, seeds, ...range, budgetMs: budget * 1000 }))
    : [];
const tasks = [
  ...tasksOf('wrong', numberOf('seeds'), numberOf('budget')),
  ...tasksOf('fixed', numberOf('fixed-seeds'), numberOf('fixed-budget')),
];
console.log(HEADING);
const results = await searchAll(tasks, numberOf('processes'), (result) => {
  console.log(resultLines(result));
});
console.log(summaryLines(results));
if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, undefined, 2)}\n`);
const isWrong = ({ version: of, found }: (typeof results)[number]): boolean =>
  (of === 'wrong') === (found.length === 0);
if (results.some(isWrong)) process.exitCode = 1;
