import { parseArgs } from 'node:util';

export interface MutantsOptions {
  /** Folders below `lib`, with all below them. */
  readonly folders: readonly string[];
  /** One file of `lib`. */
  readonly file: string | undefined;
  /** The id of one mutation of `file`. */
  readonly mutant: string | undefined;
  /** Mutants a folder. */
  readonly count: number;
  /** Draw `count` from each of `folders` with all below it, in place of `count` from each folder. */
  readonly whole: boolean;
  /** Run all specs once to find which ones reach a mutant, and check it with these. */
  readonly reached: boolean;
  /** With `reached`, the folders whose specs are run in place of all of them. */
  readonly specs: readonly string[];
  readonly seed: string;
  /** Mutants under way at a time. */
  readonly jobs: number;
  /** Only name the mutants. */
  readonly list: boolean;
  /** Write the score into docs/mutation-score.md. */
  readonly write: boolean;
  readonly help: boolean;
}

export const HELP: string = `npm run check -- mutants [options]

  --folder a,b      folders of lib, such as kernel or server/mvcc (all)
  --file path     one file of lib, such as lib/kernel/data/heap.ts
  --mutant id     with --file: one mutant, such as boundary@12:7
  --count n       mutants of each folder, drawn from all of its files (10)
  --whole         draw them from a folder with all below it, not from each folder below it
  --reached       run all specs once to find those that reach a mutant; these check it, the nearest first
  --specs a,b     with --reached: the specs below these folders, such as spec/cache, in place of all
  --seed text     decides which ones (1)
  --jobs n        mutants under way at a time (1)
  --list          name the mutants, run nothing
  --write         write the score of these folders into docs/mutation-score.md
`;

/** @throws {Error} that says which option cannot be understood. */
export function readMutantsOptions(args: readonly string[]): MutantsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: 'string', default: '' },
      file: { type: 'string' },
      mutant: { type: 'string' },
      count: { type: 'string', default: '10' },
      whole: { type: 'boolean', default: false },
      reached: { type: 'boolean', default: false },
      specs: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' },
      list: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { file, mutant, whole, reached, list, write, help } = values;
  if (mutant !== undefined && file === undefined) throw new Error('--mutant needs --file');
  if (write && file !== undefined) throw new Error('--write is for whole folders, not for --file');
  const folders = partsOf(values.folder);
  if (whole && folders.length === 0) throw new Error('--whole needs --folder');
  const specs = partsOf(values.specs);
  if (specs.length > 0 && !reached) throw new Error('--specs needs --reached');
  return {
    folders,
    file,
    mutant,
    count: atLeastOne('count', values.count),
    whole,
    reached,
    specs,
    seed: values.seed,
    jobs: atLeastOne('jobs', values.jobs),
    list,
    write,
    help,
  };
}

function partsOf(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

function atLeastOne(option: string, text: string): number {
  const number = Number(text);
  if (/^[0-9]{1,6}$/.test(text) && number > 0) return number;
  throw new Error(`--${option} must be a whole number from 1, not ${JSON.stringify(text)}`);
}
