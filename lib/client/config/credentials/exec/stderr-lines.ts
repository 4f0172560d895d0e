import { StringDecoder } from 'node:string_decoder';
import { plainText } from '../../../../kernel/text/plain-text.ts';
import { hideSecrets, type NamedSecret } from './hide-secrets.ts';
import type { ProgramRun } from './program-run.ts';

export interface StderrLinesOptions {
  /** Texts that are replaced by their names. */
  readonly secrets: readonly NamedSecret[];
  /** The standard output of the program so far: it may be a credential, so no line may repeat it. */
  readonly run: () => Pick<ProgramRun, 'printed' | 'printedBytes'>;
  readonly onLine: (line: string) => void;
}

/** Maximum number of characters of a line; the rest of a longer one is dropped. */
const LONGEST_LINE = 1_000;
/** Maximum number of lines that are passed on. Progress bars and debug output can have no end. */
const MOST_LINES = 200;
/** The lines that are kept for an error to quote. */
const KEPT_LINES = 30;
/** An error quotes from the last line that says error, with what follows it; without one, so many lines of the end. */
const QUOTED_LINES = 3;
const QUOTED_CHARACTERS = 400;
const SAYS_ERROR = /\b[\w.]*(?:error|exception|fatal)\b/i;
/** Frames of a stack of Node, and lines without a word. */
const SAYS_NOTHING = /^at \S.*:\d+\)?$|^\W*$/;
/** A line that has so many characters in a row in common with standard output is withheld. */
const COMMON_CHARACTERS = 8;
/** With more bytes of output than this, every line is withheld, so that the comparison stays cheap. */
const LARGEST_COMPARED = 65_536;

/**
 * The standard error of a plug-in, as lines that can be logged: without control characters, secrets and parts of
 * standard output. Bounded in lines, characters, and memory.
 */
export class StderrLines {
  readonly #options: StderrLinesOptions;
  readonly #decoder = new StringDecoder('utf8');
  #partial = '';
  #count = 0;
  readonly #last: string[] = [];

  constructor(options: StderrLinesOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    const parts = (this.#partial + this.#decoder.write(chunk)).split(/[\r\n]+/);
    // One character more, so that the line is known to be cut.
    this.#partial = (parts.pop() ?? '').slice(0, LONGEST_LINE + 1);
    for (const part of parts) this.#take(part);
  }

  end(): void {
    this.#take(this.#partial + this.#decoder.end());
    this.#partial = '';
  }

  /** The last lines as one, for an error. Empty: there are none, or none that may be shown. */
  quote(): string {
    const lines = this.#last.filter(
      (line) => !SAYS_NOTHING.test(line) && !this.#repeatsOutput(line),
    );
    const start = lines.findLastIndex((line) => SAYS_ERROR.test(line));
    const text = lines.slice(start === -1 ? -QUOTED_LINES : start).join(' / ');
    return text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS - 1)}…` : text;
  }

  #take(raw: string): void {
    const text = plainText(shortened(raw), LONGEST_LINE);
    if (text === '') return;
    const line = hideSecrets(text, this.#options.secrets);
    this.#last.push(line);
    if (this.#last.length > KEPT_LINES) this.#last.shift();
    this.#count += 1;
    if (this.#count > MOST_LINES + 1) return;
    if (this.#count > MOST_LINES) this.#options.onLine('further lines are not shown');
    else {
      this.#options.onLine(
        this.#repeatsOutput(line) ? 'a line that repeats standard output is not shown' : line,
      );
    }
  }

  #repeatsOutput(line: string): boolean {
    const run = this.#options.run();
    if (run.printedBytes > LARGEST_COMPARED) return true;
    const printed = run.printed.toString('utf8');
    if (printed.trim() === '') return false;
    if (line.length < COMMON_CHARACTERS) return printed.includes(line);
    for (let start = 0; start + COMMON_CHARACTERS <= line.length; start += 1) {
      if (printed.includes(line.slice(start, start + COMMON_CHARACTERS))) return true;
    }
    return false;
  }
}

/** Without the word that would be cut: a part of a secret is not known as one. */
function shortened(raw: string): string {
  if (raw.length <= LONGEST_LINE) return raw;
  return `${raw.slice(0, LONGEST_LINE - 1).replace(/\S+$/, '')}…`;
}
