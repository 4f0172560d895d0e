import { parseArgs } from 'node:util';
import { FAULT_KINDS, type FaultKind } from './faults.ts';

export interface SoakOptions {
  readonly seeds: number;
  readonly from: number;
  /** Only this one, in this process. */
  readonly seed: number | undefined;
  readonly trace: boolean;
  /** Places of the steps that are played; undefined for all. */
  readonly steps: readonly number[] | undefined;
  readonly shrink: boolean;
  readonly without: ReadonlySet<FaultKind>;
  readonly json: string | undefined;
  readonly workers: number | undefined;
  readonly stopAtFirst: boolean;
  /** Names of mutants, or none for all of them; undefined for the code as it is. */
  readonly mutants: readonly string[] | undefined;
  readonly help: boolean;
}

export const HELP: string = `npm run soak -- [options]

  --seeds n         how many seeds (2000)
  --from n          the first one (1)
  --seed n          one seed in this process; one that fails is shrunk
  --trace           with --seed: everything that happens
  --steps 1,4-9     with --seed: only these steps
  --no-shrink       with --seed: leave a failing one as it is
  --without a,b     leave out kinds of faults: ${FAULT_KINDS.join(' ')}
  --json file       write the figures
  --workers n       processes (as many as there are cores)
  --stop-at-first   end with the first seed that fails
  --mutants [a,b]   break the code on purpose, in a copy, and say how soon that is found
`;

/** @throws {Error} that says which option cannot be understood. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seeds: { type: 'string', default: '2000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      steps: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      without: { type: 'string', default: '' },
      json: { type: 'string' },
      workers: { type: 'string' },
      'stop-at-first': { type: 'boolean', default: false },
      mutants: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 0 && !values.mutants)
    throw new Error(`${positionals[0]} is no option; see --help`);
  return {
    seeds: wholeNumber('seeds', values.seeds),
    from: wholeNumber('from', values.from),
    seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed),
    trace: values.trace,
    steps: values.steps === undefined ? undefined : readPlaces(values.steps),
    shrink: !values['no-shrink'],
    without: readKinds(values.without),
    json: values.json,
    workers: values.workers === undefined ? undefined : wholeNumber('workers', values.workers),
    stopAtFirst: values['stop-at-first'],
    mutants: values.mutants ? positionals.flatMap((names) => names.split(',')) : undefined,
    help: values.help,
  };
}

/** `1,4-9` */
export function printPlaces(places: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last !== undefined && place === last[1] + 1) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(',');
}

function readPlaces(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [low = '', high = low] = range.split('-');
    const first = wholeNumber('steps', low);
    return Array.from({ length: wholeNumber('steps', high) - first + 1 }, (_, add) => first + add);
  });
}

function readKinds(text: string): ReadonlySet<FaultKind> {
  const names = text.split(',').filter((name) => name !== '');
  for (const name of names) {
    if (!FAULT_KINDS.includes(name as FaultKind))
      throw new Error(`--without ${name}: known are ${FAULT_KINDS.join(', ')}`);
  }
  return new Set(names as FaultKind[]);
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(number))
    throw new Error(`--${option} must be a whole number, not ${JSON.stringify(text)}`);
  return number;
}
