import { GO_ESCAPES } from './go-escapes.ts';

/**
 * Says why text is not JSON, in the words of Go's `encoding/json`: they are the message of the failure. Reads each byte once, and
 * runs only after another parser has refused the text.
 * @see https://pkg.go.dev/encoding/json scanner.go
 */
export function jsonSyntaxError(text: Uint8Array): string | undefined {
  const scanner = new Scanner();
  for (const byte of text) {
    const error = scanner.next(byte);
    if (error !== undefined) return error;
  }
  if (scanner.isComplete) return undefined;
  const error = scanner.next(SPACE);
  return scanner.isComplete ? undefined : (error ?? 'unexpected end of JSON input');
}

const SPACE = 0x20;
const DEEPEST = 10_000;

/** The tokens that may come next; texts are the contexts of an error. */
type State =
  | 'value'
  | 'firstValue'
  | 'firstKey'
  | 'key'
  | 'colon'
  | 'afterValue'
  | 'string'
  | 'escape'
  | 'hex'
  | 'minus'
  | 'zero'
  | 'digits'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponentSign'
  | 'exponentDigits'
  | 'literal';

class Scanner {
  #state: State = 'value';
  /** The open objects and lists; `k` after a key was begun. */
  readonly #open: ('{' | 'k' | '[')[] = [];
  #literal = '';
  #at = 0;

  /** Whether a whole value was read, with nothing open. */
  get isComplete(): boolean {
    return this.#state === 'afterValue' && this.#open.length === 0;
  }

  /** Takes a byte; returns the error if it does not fit. */
  next(byte: number): string | undefined {
    const char = String.fromCharCode(byte);
    switch (this.#state) {
      case 'string':
        return this.#inString(char, byte);
      case 'escape':
        return this.#afterBackslash(char);
      case 'hex':
        return this.#inHex(char);
      case 'literal':
        return this.#inLiteral(char);
      case 'value':
      case 'firstValue':
      case 'firstKey':
      case 'key':
      case 'colon':
      case 'afterValue':
        return isSpace(byte) ? undefined : this.#structure(char);
      default:
        return this.#inNumber(char);
    }
  }

  #structure(char: string): string | undefined {
    switch (this.#state) {
      case 'firstValue':
        return char === ']' ? this.#close() : this.#value(char);
      case 'value':
        return this.#value(char);
      case 'firstKey':
        return char === '}' ? this.#close() : this.#key(char);
      case 'key':
        return this.#key(char);
      case 'colon':
        if (char !== ':') return invalid(char, 'after object key');
        this.#state = 'value';
        return undefined;
      default:
        return this.#afterValue(char);
    }
  }

  #value(char: string): string | undefined {
    const word = { t: 'true', f: 'false', n: 'null' }[char];
    if (char === '{' || char === '[') return this.#begin(char);
    if (char === '"') this.#state = 'string';
    else if (char === '-') this.#state = 'minus';
    else if (char === '0') this.#state = 'zero';
    else if (isDigit(char)) this.#state = 'digits';
    else if (word !== undefined) {
      this.#state = 'literal';
      this.#literal = word;
      this.#at = 1;
    } else return invalid(char, 'looking for beginning of value');
    return undefined;
  }

  #begin(char: '{' | '['): string | undefined {
    this.#open.push(char);
    this.#state = char === '{' ? 'firstKey' : 'firstValue';
    return this.#open.length > DEEPEST ? invalid(char, 'exceeded max depth') : undefined;
  }

  #key(char: string): string | undefined {
    if (char !== '"') return invalid(char, 'looking for beginning of object key string');
    this.#open[this.#open.length - 1] = 'k';
    this.#state = 'string';
    return undefined;
  }

  #afterValue(char: string): string | undefined {
    const inner = this.#open.at(-1);
    if (inner === undefined) return invalid(char, 'after top-level value');
    if (char === ',') {
      this.#state = inner === '[' ? 'value' : 'key';
      return undefined;
    }
    if (char === (inner === '[' ? ']' : '}')) return this.#close();
    return invalid(char, inner === '[' ? 'after array element' : 'after object key:value pair');
  }

  #close(): undefined {
    this.#open.pop();
    this.#state = 'afterValue';
  }

  #inString(char: string, byte: number): string | undefined {
    if (char === '\\') this.#state = 'escape';
    else if (char === '"') this.#endString();
    else if (byte < SPACE) return invalid(char, 'in string literal');
    return undefined;
  }

  #endString(): void {
    if (this.#open.at(-1) === 'k') {
      this.#open[this.#open.length - 1] = '{';
      this.#state = 'colon';
    } else this.#state = 'afterValue';
  }

  #afterBackslash(char: string): string | undefined {
    if (char === 'u') {
      this.#state = 'hex';
      this.#at = 0;
      return undefined;
    }
    this.#state = 'string';
    return 'bfnrt\\/"'.includes(char) ? undefined : invalid(char, 'in string escape code');
  }

  #inHex(char: string): string | undefined {
    if (!/[0-9a-fA-F]/.test(char)) return invalid(char, 'in \\u hexadecimal character escape');
    this.#at += 1;
    if (this.#at === 4) this.#state = 'string';
    return undefined;
  }

  #inLiteral(char: string): string | undefined {
    const expected = this.#literal[this.#at] as string;
    if (char !== expected) {
      return invalid(char, `in literal ${this.#literal} (expecting '${expected}')`);
    }
    this.#at += 1;
    if (this.#at === this.#literal.length) this.#state = 'afterValue';
    return undefined;
  }

  #inNumber(char: string): string | undefined {
    const row = NUMBERS[this.#state as keyof typeof NUMBERS];
    const to = row.next(char);
    if (to !== undefined) {
      this.#state = to;
      return undefined;
    }
    if (row.needs !== undefined) return invalid(char, row.needs);
    this.#state = 'afterValue';
    return isSpace(char.charCodeAt(0)) ? undefined : this.#afterValue(char);
  }
}

interface NumberRow {
  /** The state after a character that belongs to the number. */
  readonly next: (char: string) => State | undefined;
  /** The context of the error when the number cannot end here. */
  readonly needs?: string;
}

const afterDigits = (char: string): State | undefined => {
  if (char === '.') return 'point';
  return char === 'e' || char === 'E' ? 'exponent' : undefined;
};
const digitsTo =
  (to: State, others: (char: string) => State | undefined = () => undefined) =>
  (char: string): State | undefined =>
    isDigit(char) ? to : others(char);

const NUMBERS: Readonly<
  Record<
    | 'minus'
    | 'zero'
    | 'digits'
    | 'point'
    | 'fraction'
    | 'exponent'
    | 'exponentSign'
    | 'exponentDigits',
    NumberRow
  >
> = {
  minus: {
    next: (char) => (char === '0' ? 'zero' : digitsTo('digits')(char)),
    needs: 'in numeric literal',
  },
  zero: { next: afterDigits },
  digits: { next: digitsTo('digits', afterDigits) },
  point: { next: digitsTo('fraction'), needs: 'after decimal point in numeric literal' },
  fraction: {
    next: digitsTo('fraction', (char) => (char === '.' ? undefined : afterDigits(char))),
  },
  exponent: {
    next: digitsTo('exponentDigits', (char) => ('+-'.includes(char) ? 'exponentSign' : undefined)),
    needs: 'in exponent of numeric literal',
  },
  exponentSign: { next: digitsTo('exponentDigits'), needs: 'in exponent of numeric literal' },
  exponentDigits: { next: digitsTo('exponentDigits') },
};

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function invalid(char: string, context: string): string {
  return `invalid character ${quotedCharacter(char)} ${context}`;
}

/** A byte as Go quotes a character. */
function quotedCharacter(char: string): string {
  const code = char.charCodeAt(0);
  if (char === "'") return "'\\''";
  const short = GO_ESCAPES[char];
  if (short !== undefined) return `'${short}'`;
  if (code < SPACE || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  if (code >= 0x80 && code <= 0xa0) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  return code === 0xad ? "'\\u00ad'" : `'${char}'`;
}
