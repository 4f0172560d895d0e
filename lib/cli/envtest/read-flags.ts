import { UsageError } from '../arguments/usage-error.ts';

/** The names of flags, and whether each takes a value. */
export type FlagTable = ReadonlyMap<string, 'value' | 'switch'>;

/** The values of flags by name, in the order of the command line. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Makes a table of names with white space between them. */
export function flagTable(values: string, switches: string): FlagTable {
  const names = (text: string): readonly string[] => text.trim().split(/\s+/);
  return new Map([
    ...names(values).map((name) => [name, 'value'] as const),
    ...names(switches).map((name) => [name, 'switch'] as const),
  ]);
}

/** How a program refuses its command line. */
export interface FlagWords {
  readonly program: string;
  /** The message for an unknown flag. */
  readonly unknown: (name: string) => string;
}

/**
 * Reads flags as Go programs do: `--name=value`, `--name value`, one dash as well, and a switch alone is `true`.
 * @throws {UsageError} for an unknown flag, a flag without its value, and an argument that is none.
 */
export function readFlags(
  parameters: readonly string[],
  table: FlagTable,
  { program, unknown }: FlagWords,
): Flags {
  const flags = new Map<string, string[]>();
  const left = [...parameters];
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const match = /^--?([^-=][^=]*)(?:=([^]*))?$/.exec(one);
    if (match === null) {
      throw new UsageError(
        `${JSON.stringify(program)} does not take any arguments, got ["${one}"]`,
      );
    }
    const [, name = '', inline] = match;
    const kind = table.get(name);
    if (kind === undefined) throw new UsageError(unknown(name));
    const value = inline ?? (kind === 'switch' ? 'true' : left.shift());
    if (value === undefined) throw new UsageError(`flag needs an argument: --${name}`);
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return flags;
}

/** The last value of a flag, which is the one that counts; undefined when it is not given or empty. */
export function lastValue(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.at(-1) || undefined;
}

/** The values of a flag that may be given several times, and has commas between values. */
export function listValue(flags: Flags, name: string): readonly string[] {
  return (flags.get(name) ?? []).flatMap((one) => one.split(',')).filter((one) => one !== '');
}
