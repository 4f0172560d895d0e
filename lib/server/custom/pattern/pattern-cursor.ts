import { PatternSyntaxError } from './pattern-node.ts';
import {
  otherRanges,
  PERL_CLASSES,
  POSIX_CLASSES,
  unicodeClass,
  type RuneSet,
} from './rune-set.ts';

const ESCAPES: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const OCTAL = /[0-7]{1,3}/y;
const HEX = /x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/y;
/** Until where an escape with a wrong number is named in the error. */
const BROKEN_HEX =
  /x(?:\{0*(?:[2-9A-Fa-f][0-9A-Fa-f]{5}|1[1-9A-Fa-f][0-9A-Fa-f]{4}|10[0-9A-Fa-f]{5}|[0-9A-Fa-f]*(?:[^0-9A-Fa-f]|$))|[\s\S]{0,2})/uy;

/** A place in a pattern, and the reading of escapes and classes from there. */
export class PatternCursor {
  readonly text: string;
  at: number = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The code unit at the place, or after it. */
  peek(ahead: number = 0): string {
    return this.text.charAt(this.at + ahead);
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Reads one character. */
  rune(): number {
    const rune = this.text.codePointAt(this.at) ?? 0;
    this.at += rune > 0xffff ? 2 : 1;
    return rune;
  }

  /** The match of a sticky expression here, over which the cursor goes. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text) ?? undefined;
    if (match !== undefined) this.at += match[0].length;
    return match;
  }

  /** An escaped character; the cursor is at the backslash. @throws {PatternSyntaxError} */
  escape(): number {
    const start = this.at;
    this.at += 1;
    if (this.isAtEnd) throw new PatternSyntaxError('trailing backslash at end of expression', '');
    const letter = this.peek();
    if (letter === '0' || (/[1-7]/.test(letter) && /[0-7]/.test(this.peek(1)))) {
      return Number.parseInt(this.take(OCTAL)?.[0] ?? '0', 8);
    }
    if (letter === 'x') {
      const [, braced, plain] = this.take(HEX) ?? [];
      const rune = Number.parseInt(braced ?? plain ?? '', 16);
      if (rune <= 0x10ffff) return rune;
      this.at = start + 1;
      this.take(BROKEN_HEX);
      throw this.invalidEscape(start);
    }
    const known = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    const rune = this.rune();
    if (known !== undefined) return known;
    if (rune < 0x80 && !/[0-9A-Za-z]/.test(letter)) return rune;
    throw this.invalidEscape(start);
  }

  /** `\d`, `\S`, `\pL`, `\p{Greek}`; undefined when there is another escape. @throws {PatternSyntaxError} */
  classEscape(): Partial<RuneSet> | undefined {
    if (this.peek() !== '\\') return undefined;
    const letter = this.peek(1);
    if (letter === 'p' || letter === 'P') return this.#unicode(letter === 'P');
    const lower = letter.toLowerCase();
    const ranges = Object.hasOwn(PERL_CLASSES, lower) ? PERL_CLASSES[lower] : undefined;
    if (ranges === undefined) return undefined;
    this.at += 2;
    return { ranges: letter === lower ? ranges : otherRanges(ranges) };
  }

  #unicode(capital: boolean): Partial<RuneSet> | undefined {
    const start = this.at;
    this.at += 2;
    if (this.isAtEnd) {
      this.at = start;
      return undefined;
    }
    let name = '';
    if (this.peek() === '{') {
      const end = this.text.indexOf('}', this.at);
      if (end < 0) throw badRange(this.text.slice(start));
      name = this.text.slice(this.at + 1, end);
      this.at = end + 1;
    } else {
      name = String.fromCodePoint(this.rune());
    }
    const inverse = name.startsWith('^');
    const found = unicodeClass(inverse ? name.slice(1) : name, capital !== inverse);
    if (found === undefined) throw badRange(this.text.slice(start, this.at));
    return { classes: [found] };
  }

  /** A class in brackets; the cursor is at the opening one. @throws {PatternSyntaxError} */
  bracketClass(folds: boolean): RuneSet {
    const whole = this.text.slice(this.at);
    this.at += 1;
    const negated = this.peek() === '^';
    if (negated) this.at += 1;
    const ranges: number[] = [];
    const classes: RegExp[] = [];
    for (let first = true; first || this.peek() !== ']'; first = false) {
      const found = this.#named() ?? this.classEscape();
      if (found === undefined) this.#range(ranges, whole);
      ranges.push(...(found?.ranges ?? []));
      classes.push(...(found?.classes ?? []));
    }
    this.at += 1;
    return { ranges, classes, negated, folds };
  }

  /** `[:alpha:]` or `[:^alpha:]` within brackets. */
  #named(): Partial<RuneSet> | undefined {
    if (!this.startsWith('[:')) return undefined;
    const end = this.text.indexOf(':]', this.at + 2);
    if (end < 0) return undefined;
    const whole = this.text.slice(this.at, end + 2);
    const name = whole.slice(2, -2);
    const plain = name.startsWith('^') ? name.slice(1) : name;
    const ranges = Object.hasOwn(POSIX_CLASSES, plain) ? POSIX_CLASSES[plain] : undefined;
    if (ranges === undefined) throw badRange(whole);
    this.at = end + 2;
    return { ranges: plain === name ? ranges : otherRanges(ranges) };
  }

  #range(ranges: number[], whole: string): void {
    const start = this.at;
    const low = this.#classRune(whole);
    let high = low;
    if (this.peek() === '-' && this.at + 1 < this.text.length && this.peek(1) !== ']') {
      this.at += 1;
      high = this.#classRune(whole);
      if (high < low) throw badRange(this.text.slice(start, this.at));
    }
    ranges.push(low, high);
  }

  #classRune(whole: string): number {
    if (this.isAtEnd) throw new PatternSyntaxError('missing closing ]', whole);
    return this.peek() === '\\' ? this.escape() : this.rune();
  }

  invalidEscape(start: number): PatternSyntaxError {
    return new PatternSyntaxError('invalid escape sequence', this.text.slice(start, this.at));
  }
}

function badRange(part: string): PatternSyntaxError {
  return new PatternSyntaxError('invalid character class range', part);
}
