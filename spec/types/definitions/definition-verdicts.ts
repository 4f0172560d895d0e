import type { Program } from './definition-program.ts';
import type { FoundDefinition } from './largest-definitions.ts';

/** A definition with its program, and the program of the manifests which a server refuses. */
export interface CheckedDefinition {
  readonly found: FoundDefinition;
  /** The file of the program. */
  readonly file: string;
  readonly program: Program;
  readonly refusedFile: string;
  readonly refused: Program;
}

/** The facts about a definition. */
export interface Verdict {
  readonly found: FoundDefinition;
  /** Its types compile, and the drawn objects fit them. */
  readonly compiles: boolean;
  /** Real manifests that type-check. */
  readonly fitting: number;
  /** Of the manifests and drawn objects with a misspelt field, whether none type-checks; undefined if no manifest can have one. */
  readonly misspeltRefused: boolean | undefined;
  /** Messages of the compiler that should not be there, or that are missing. */
  readonly surprises: readonly string[];
}

export interface Verdicts {
  readonly verdicts: readonly Verdict[];
  /** Messages about other files. */
  readonly others: readonly string[];
}

/** A server refuses these for a field that the schema does not have, so that types have to refuse them too. */
const SURPLUS = /unknown field "(?!metadata\.)/;

/** The verdict on each definition from the messages of the compiler. */
export function verdictsOf(
  checked: readonly CheckedDefinition[],
  lines: readonly string[],
): Verdicts {
  const messages = new Map<string, Map<number, string>>();
  const others: string[] = [];
  const files = new Set(checked.flatMap(({ file, refusedFile }) => [file, refusedFile]));
  for (const line of lines) {
    const [, file = '', at = ''] = /(?:^|\/)(\w+\.ts)\((\d+),/.exec(line) ?? [];
    if (files.has(file)) {
      const own = messages.get(file) ?? new Map<number, string>();
      messages.set(file, own.set(Number(at), line));
    } else if (/error TS/.test(line)) others.push(line);
  }
  const none = new Map<number, string>();
  const verdicts = checked.map((one) =>
    verdictOf(one, messages.get(one.file) ?? none, messages.get(one.refusedFile) ?? none),
  );
  return { verdicts, others };
}

function verdictOf(
  { found, program, refused }: CheckedDefinition,
  messages: ReadonlyMap<number, string>,
  refusals: ReadonlyMap<number, string>,
): Verdict {
  const rest = new Map(messages);
  const surprises: string[] = [];
  let fitting = 0;
  let drawnFit = true;
  const misspelt: boolean[] = [];
  let misspeltReal = 0;
  for (const { line, place, misspelt: isMisspelt } of program.objects) {
    // The compiler complains about the comment above an object that type-checks though a field is misspelt.
    const at = isMisspelt ? line - 1 : line;
    const message = rest.get(at) ?? rest.get(line);
    rest.delete(at);
    rest.delete(line);
    if (message !== undefined) surprises.push(`${place}: ${message}`);
    if (isMisspelt) {
      misspelt.push(message === undefined);
      if (place !== 'drawn') misspeltReal += 1;
    } else if (place === 'drawn') drawnFit &&= message === undefined;
    else if (message === undefined) fitting += 1;
  }
  for (const { line, place } of refused.objects) {
    if (SURPLUS.test(place) && !refusals.has(line)) {
      surprises.push(`refused by the server, not by the types: ${place}`);
    }
  }
  const compiles = rest.size === 0 && drawnFit;
  const misspeltRefused = misspeltReal === 0 ? undefined : misspelt.every(Boolean);
  return { found, compiles, fitting, misspeltRefused, surprises: [...surprises, ...rest.values()] };
}

/** Whether all is as it should be: types that compile, a manifest that fits, and not with a misspelt field. */
export function isProven({ compiles, fitting, misspeltRefused, surprises }: Verdict): boolean {
  return compiles && fitting > 0 && misspeltRefused !== false && surprises.length === 0;
}

/** One line for each definition, the largest first. */
export function verdictTable(verdicts: readonly Verdict[]): string[] {
  const width = Math.max(...verdicts.map(({ found }) => found.name.length), 10);
  const head = `${'characters'.padStart(10)}  ${'definition'.padEnd(width)}  types compile  manifests that fit  misspelt field`;
  return [head, ...verdicts.map((one) => rowOf(one, width))];
}

function rowOf({ found, compiles, fitting, misspeltRefused }: Verdict, width: number): string {
  const size = String(found.size).padStart(10);
  const fit = (fitting === 0 ? 'none' : String(fitting)).padEnd(18);
  const none = fitting === 0 ? '-' : 'unknown fields are preserved';
  const misspelt = { true: 'refused', false: 'ACCEPTED', undefined: none }[
    String(misspeltRefused) as 'true' | 'false' | 'undefined'
  ];
  return `${size}  ${found.name.padEnd(width)}  ${(compiles ? 'yes' : 'NO').padEnd(13)}  ${fit}  ${misspelt}`;
}

/** The last line of a run. */
export function closingLine(verdicts: readonly Verdict[]): string {
  const proven = verdicts.filter(isProven).length;
  const lacking = verdicts.filter(({ fitting }) => fitting === 0).map(({ found }) => found.name);
  const failed = verdicts.filter((one) => !isProven(one) && one.fitting > 0);
  const parts = [
    `${proven} of ${verdicts.length} definitions: types compile, a real manifest fits, and does not with a misspelt field`,
    ...(lacking.length === 0 ? [] : [`without a manifest that fits: ${lacking.join(', ')}`]),
    ...(failed.length === 0 ? [] : [`FAILED: ${failed.map(({ found }) => found.name).join(', ')}`]),
  ];
  return parts.join('; ');
}
