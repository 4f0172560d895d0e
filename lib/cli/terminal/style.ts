import { styleText } from 'node:util';
import type { CommandHost, Output } from '../contract/command.ts';

export type Mark = 'ok' | 'warning' | 'failed' | 'skipped' | 'running';

type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'bold';

const SYMBOLS: Readonly<Record<Mark, string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  skipped: '–',
  running: '…',
};

/** The same width each, so that columns stay in line. */
const WORDS: Readonly<Record<Mark, string>> = {
  ok: 'ok  ',
  warning: 'WARN',
  failed: 'FAIL',
  skipped: 'skip',
  running: '... ',
};

const COLOURS: Readonly<Record<Mark, Colour>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'red',
  skipped: 'gray',
  running: 'gray',
};

/** How a command prints to one of its streams. */
export class Style {
  /** Whether a line may be replaced by a later one. */
  readonly replacesLines: boolean;
  readonly #colours: boolean;
  readonly #symbols: boolean;

  /** Colours are for terminals, unless NO_COLOR is set; symbols for terminals whose locale is UTF-8. */
  constructor({ isTerminal }: Pick<Output, 'isTerminal'>, env: CommandHost['env']) {
    const isSmart = isTerminal && env['TERM'] !== 'dumb';
    this.replacesLines = isSmart;
    this.#colours = isSmart && !env['NO_COLOR'];
    this.#symbols = isTerminal && isUnicode(env);
  }

  mark(mark: Mark): string {
    return this.paint(COLOURS[mark], (this.#symbols ? SYMBOLS : WORDS)[mark]);
  }

  /** A text of a message; it may end in an ellipsis. */
  text(text: string): string {
    return this.#symbols ? text : text.replaceAll('…', '...');
  }

  /** The columns that a mark takes. */
  get markWidth(): number {
    return this.#symbols ? 1 : WORDS.ok.length;
  }

  paint(colour: Colour, text: string): string {
    return this.#colours ? styleText(colour, text, { validateStream: false }) : text;
  }
}

function isUnicode(env: CommandHost['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  if (locale) return /utf-?8/i.test(locale);
  // Windows Terminal sets no locale.
  return Boolean(env['WT_SESSION']);
}
