import type { OptionRow, OptionTable } from '../arguments/parse-arguments.ts';

/** A command as a completion script has it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionTable;
  readonly words: readonly string[];
}

/** Every command has it, without a row in its table. */
export const HELP_OPTION: OptionRow = { type: 'boolean', short: 'h', help: 'prints the help' };

/** `-n`, `--namespace` */
export function spellings(name: string, { short }: OptionRow): readonly string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** Whether the value of an option is a path, by its placeholder in the help. */
export function takesPath({ value = '' }: OptionRow): boolean {
  return /FILE|DIR|FOLDER|PATH|PLAN/.test(value);
}
