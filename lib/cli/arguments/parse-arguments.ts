import { parseArgs } from 'node:util';
import { nearName } from '../../kernel/text/near-name.ts';
import { UsageError } from './usage-error.ts';

/** An option of a command. */
export interface OptionRow {
  readonly type: 'boolean' | 'string';
  /** Whether it may be given several times. @defaultValue false */
  readonly multiple?: boolean | undefined;
  readonly short?: string | undefined;
  /** The placeholder of the value in the help, e.g. `FILE`. */
  readonly value?: string | undefined;
  readonly help: string;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

/** The arguments of a command: each option with its values in order. A flag has the value `true`. */
export interface Arguments {
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/**
 * Reads the arguments of a command.
 * @throws {UsageError} for an unknown option (with the closest name), a missing value, a value for a flag, a repeated option.
 */
export function parseArguments(parameters: readonly string[], table: OptionTable): Arguments {
  const { tokens } = parseArgs({
    args: [...parameters],
    options: Object.fromEntries(
      Object.entries(table).map(([name, { type, short }]) => [
        name,
        { type, multiple: true, ...(short === undefined ? {} : { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const row = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (row === undefined) throw unknownOption(token.rawName, table);
    const value = valueOf(token, row);
    const values = options.get(token.name) ?? [];
    if (values.length > 0 && row.multiple !== true && row.type === 'string') {
      throw new UsageError(`${token.rawName} is given twice; give it once`);
    }
    options.set(token.name, [...values, value]);
  }
  return { options, positionals };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueOf({ rawName, value, inlineValue }: OptionToken, row: OptionRow): string {
  if (row.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return 'true';
  }
  const isOption = inlineValue !== true && value !== undefined && /^-./.test(value);
  if (value === undefined || value === '' || isOption) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${row.value ?? 'VALUE'}`);
  }
  return value;
}

function unknownOption(rawName: string, table: OptionTable): UsageError {
  const closest = nearName(rawName.replace(/^-+/, ''), Object.keys(table));
  const meant = closest === undefined ? '' : `; did you mean --${closest}?`;
  return new UsageError(`unknown option ${rawName}${meant}`);
}

/** The lines of the help on options, two columns. */
export function optionsHelp(table: OptionTable): string {
  const rows = Object.entries(table).map(([name, { short, value, help }]) => ({
    left: `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`).join('\n');
}
