/** One command of kubectl, as written in a scenario. */
export interface Command {
  /** Scenario and text, e.g. `labels: label cm a tier=front`; a text that comes again has its number behind it. */
  readonly id: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Name of the file that is its standard input. */
  readonly input?: string;
  /** Its standard output becomes the value of `{{name}}` in the commands and files that follow; it is not compared. */
  readonly saveAs?: string;
  /**
   * Of a command that does not end by itself: the lines of standard output after which the next command begins, and those after
   * which it is stopped, at the end of the scenario.
   */
  readonly lines?: { readonly before: number; readonly last: number };
}

/** Commands that belong together, in a namespace of their own, and the files that they read. */
export interface Scenario {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly Command[];
}

/**
 * A scenario from its text, a command a line. `< FILE` at the end names its standard input, `NAME=value` before it sets a variable of
 * the environment, `@name = ` saves its output, `LINES=a,b` bounds one that does not end by itself. `{ns}` is the namespace.
 * @throws an Error that names the line whose quotes do not end.
 */
export function scenario(
  name: string,
  files: Readonly<Record<string, string>>,
  text: string,
): Scenario {
  const seen = new Map<string, number>();
  const commands = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const times = (seen.get(line) ?? 0) + 1;
      seen.set(line, times);
      return readCommand(line, `${name}: ${line}${times === 1 ? '' : ` (${times})`}`);
    });
  return { name, files, commands };
}

function readCommand(line: string, id: string): Command {
  const saved = /^@(\w+) = (.*)$/.exec(line);
  const input = / < (\S+)$/.exec(line);
  const words = wordsOf((saved?.[2] ?? line).replace(/ < \S+$/, ''));
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const assignments = words.slice(0, first).map((word) => word.split(/=(.*)/s, 2));
  const { LINES: lines, ...env } = Object.fromEntries(assignments) as Record<string, string>;
  const [before = 1, last = before] = (lines ?? '').split(',').map(Number);
  return {
    id,
    args: words.slice(first),
    env,
    ...(input === null ? {} : { input: input[1]! }),
    ...(saved === null ? {} : { saveAs: saved[1]! }),
    ...(lines === undefined ? {} : { lines: { before, last } }),
  };
}

/** Words as a shell would read them, with single and double quotes and nothing else. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:[^\s'"]|'[^']*'|"[^"]*")+)/gy;
  let at = 0;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    words.push(match[1]!.replaceAll(/'([^']*)'|"([^"]*)"/g, (_all, one, two) => one ?? two));
    at = pattern.lastIndex;
  }
  if (line.slice(at).trim() !== '') throw new Error(`the quotes of this line do not end: ${line}`);
  return words;
}
