import { PatternCursor } from './pattern-cursor.ts';
import {
  assertNode,
  captureNode,
  countsWithin,
  groupNode,
  PatternSyntaxError,
  repeatNode,
  setNode,
  type Assertion,
  type PatternNode,
} from './pattern-node.ts';
import { LAST_RUNE, type RuneSet } from './rune-set.ts';

interface Flags {
  readonly folds: boolean;
  readonly manyLines: boolean;
  readonly dotTakesNewline: boolean;
}

/** A group that is open: its finished alternatives, and the parts of the present one. */
interface Frame {
  readonly alternatives: PatternNode[];
  parts: PatternNode[];
  /** The flags before the group. */
  readonly outer: Flags;
  readonly captures: boolean;
}

const NO_FLAGS: Flags = { folds: false, manyLines: false, dotTakesNewline: false };
const COUNT = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;
const NAMED_GROUP = /\(\?P?<([^>]*)>/y;
const MOST_REPEATS = 1000;
const NEWLINE = 0x0a;

/**
 * The syntax tree of a pattern in the syntax of Go's regexp package.
 * @see go src/regexp/syntax/parse.go @ go1.26
 * @throws {PatternSyntaxError} in the words of Go.
 */
export function parsePattern(pattern: string): PatternNode {
  return new PatternParser(pattern).parse();
}

class PatternParser {
  readonly #cursor: PatternCursor;
  readonly #frames: Frame[] = [];
  #frame: Frame = newFrame(NO_FLAGS, false);
  #flags: Flags = NO_FLAGS;
  /** Where the repetition before began; -1 when there was none. */
  #lastRepeat = -1;

  constructor(pattern: string) {
    this.#cursor = new PatternCursor(pattern);
  }

  parse(): PatternNode {
    const cursor = this.#cursor;
    while (!cursor.isAtEnd) {
      const start = cursor.at;
      this.#lastRepeat = this.#step() ? start : -1;
    }
    if (this.#frames.length > 0) throw new PatternSyntaxError('missing closing )', cursor.text);
    return this.#closed();
  }

  /** Reads one part; true for a repetition. */
  #step(): boolean {
    const cursor = this.#cursor;
    switch (cursor.peek()) {
      case '(':
        this.#open();
        return false;
      case ')':
        this.#close();
        return false;
      case '|':
        cursor.at += 1;
        this.#frame.alternatives.push(this.#sequence());
        this.#frame.parts = [];
        return false;
      case '[':
        this.#add(setNode(cursor.bracketClass(this.#flags.folds)));
        return false;
      case '*':
        return this.#repeat(0, -1);
      case '+':
        return this.#repeat(1, -1);
      case '?':
        return this.#repeat(0, 1);
      case '{':
        return this.#counted();
      case '\\':
        this.#escape();
        return false;
      default:
        this.#plain();
        return false;
    }
  }

  #plain(): void {
    const { manyLines, dotTakesNewline } = this.#flags;
    const rune = this.#cursor.rune();
    switch (rune) {
      case 0x5e:
        this.#assert(manyLines ? 'line-begin' : 'text-begin');
        return;
      case 0x24:
        this.#assert(manyLines ? 'line-end' : 'text-end');
        return;
      case 0x2e: {
        const all = [0, LAST_RUNE];
        const ranges = dotTakesNewline ? all : [0, NEWLINE - 1, NEWLINE + 1, LAST_RUNE];
        this.#add(setNode(this.#set({ ranges })));
        return;
      }
      default:
        this.#literal(rune);
    }
  }

  #escape(): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    const assertion = ASSERTIONS[cursor.peek(1)];
    if (assertion !== undefined) {
      cursor.at += 2;
      this.#assert(assertion);
      return;
    }
    if (cursor.startsWith('\\C')) {
      cursor.at += 2;
      throw cursor.invalidEscape(start);
    }
    if (cursor.startsWith('\\Q')) {
      this.#quoted();
      return;
    }
    const found = cursor.classEscape();
    if (found === undefined) this.#literal(cursor.escape());
    else this.#add(setNode(this.#set(found)));
  }

  #quoted(): void {
    const cursor = this.#cursor;
    const found = cursor.text.indexOf('\\E', cursor.at + 2);
    const end = found < 0 ? cursor.text.length : found;
    cursor.at += 2;
    while (cursor.at < end) this.#literal(cursor.rune());
    if (found >= 0) cursor.at += 2;
  }

  #open(): void {
    const cursor = this.#cursor;
    const { text, at } = cursor;
    if (cursor.peek(1) !== '?') {
      cursor.at += 1;
      this.#push(true);
      return;
    }
    if (cursor.startsWith('(?P<') || cursor.startsWith('(?<')) {
      const name = cursor.take(NAMED_GROUP)?.[1];
      // As in Go, what begins with `(?P<` and then ends is read as flags.
      if (name !== undefined && /^\w+$/.test(name)) this.#push(true);
      else {
        const part = name === undefined ? text.slice(at) : text.slice(at, cursor.at);
        throw new PatternSyntaxError('invalid named capture', part);
      }
      return;
    }
    this.#readFlags(at);
  }

  /** `(?i)` or `(?i-s:`. */
  #readFlags(start: number): void {
    const cursor = this.#cursor;
    cursor.at += 2;
    let flags = this.#flags;
    let on = true;
    let seen = false;
    while (!cursor.isAtEnd) {
      const letter = String.fromCodePoint(cursor.rune());
      if (letter === 'i') flags = { ...flags, folds: on };
      else if (letter === 'm') flags = { ...flags, manyLines: on };
      else if (letter === 's') flags = { ...flags, dotTakesNewline: on };
      else if (letter === '-' && on) on = false;
      else if ((letter === ':' || letter === ')') && (on || seen)) {
        if (letter === ':') this.#push(false);
        this.#flags = flags;
        return;
      } else if (letter !== 'U') break;
      seen = letter !== '-';
    }
    const part = cursor.text.slice(start, cursor.at);
    throw new PatternSyntaxError('invalid or unsupported Perl syntax', part);
  }

  #close(): void {
    const outer = this.#frames.pop();
    if (outer === undefined) throw new PatternSyntaxError('unexpected )', this.#cursor.text);
    const node = this.#closed();
    const { captures } = this.#frame;
    this.#flags = this.#frame.outer;
    this.#frame = outer;
    this.#cursor.at += 1;
    this.#add(captures ? captureNode(node, this.#cursor.text) : node);
  }

  #counted(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    const match = cursor.take(COUNT);
    if (match === undefined) {
      this.#literal(cursor.rune());
      return false;
    }
    const least = Number(match[1]);
    const most = match[3] !== undefined ? Number(match[3]) : match[2] === undefined ? least : -1;
    if (least > MOST_REPEATS || most > MOST_REPEATS || (most >= 0 && least > most)) {
      throw new PatternSyntaxError('invalid repeat count', cursor.text.slice(start, cursor.at));
    }
    cursor.at = start;
    return this.#repeat(least, most, match[0].length);
  }

  #repeat(least: number, most: number, length: number = 1): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    cursor.at += length;
    if (cursor.peek() === '?') cursor.at += 1;
    const { text, at } = cursor;
    if (this.#lastRepeat >= 0) {
      throw new PatternSyntaxError(
        'invalid nested repetition operator',
        text.slice(this.#lastRepeat, at),
      );
    }
    const part = this.#frame.parts.pop();
    if (part === undefined) {
      throw new PatternSyntaxError(
        'missing argument to repetition operator',
        text.slice(start, at),
      );
    }
    const counted = text.charAt(start) === '{';
    const node = repeatNode(part, { least, most, counted }, text);
    if (counted && !countsWithin(node, MOST_REPEATS)) {
      throw new PatternSyntaxError('invalid repeat count', text.slice(start, at));
    }
    this.#add(node);
    return true;
  }

  #push(captures: boolean): void {
    this.#frames.push(this.#frame);
    this.#frame = newFrame(this.#flags, captures);
  }

  #add(node: PatternNode): void {
    this.#frame.parts.push(node);
  }

  #assert(assertion: Assertion): void {
    this.#add(assertNode(assertion));
  }

  #literal(rune: number): void {
    this.#add(setNode(this.#set({ ranges: [rune, rune] })));
  }

  #set(found: Partial<RuneSet>): RuneSet {
    return { ranges: [], classes: [], negated: false, folds: this.#flags.folds, ...found };
  }

  #sequence(): PatternNode {
    return groupNode('all', this.#frame.parts, this.#cursor.text);
  }

  #closed(): PatternNode {
    return groupNode('any', [...this.#frame.alternatives, this.#sequence()], this.#cursor.text);
  }
}

const ASSERTIONS: Readonly<Record<string, Assertion | undefined>> = {
  A: 'text-begin',
  z: 'text-end',
  b: 'word',
  B: 'no-word',
};

function newFrame(outer: Flags, captures: boolean): Frame {
  return { alternatives: [], parts: [], outer, captures };
}
