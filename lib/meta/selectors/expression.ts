/** An expression of CEL, as far as shard selectors need it: it is never evaluated. */
export type Expression =
  | {
      readonly kind: typeof KINDS.call;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly kind: typeof KINDS.ident; readonly name: string }
  | { readonly kind: typeof KINDS.list }
  | { readonly kind: typeof KINDS.literal; readonly type: LiteralType; readonly value: string }
  | { readonly kind: typeof KINDS.select; readonly operand: Expression; readonly field: string };

/** Types of literals, by their names in Go. */
type LiteralType = 'string' | 'int64' | 'uint64' | 'float64' | 'bool' | 'structpb.NullValue';

/** The numbers that kube-apiserver shows for kinds of expressions. */
export const KINDS = { call: 1, ident: 3, list: 4, literal: 5, select: 7 } as const;

/** The text is no expression. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
}

const TOKEN =
  /\s*(?:(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<number>0x[\da-fA-F]+u?|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?u?)|(?<name>[A-Za-z_]\w*)|(?<sign>\|\||&&|[=!<>]=|[-+*/%<>!()[\],.]))/y;

/** Operators between two operands, by how closely they bind. */
const BINDING: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
};

const DEEPEST = 100;
const END = '<EOF>';

interface Token {
  readonly type: 'text' | 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
}

/** @throws {SyntaxProblem} */
export function parseExpression(text: string): Expression {
  return new ExpressionParser(text).whole();
}

class ExpressionParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #next: Token;

  constructor(text: string) {
    this.#text = text;
    this.#next = this.#read();
  }

  whole(): Expression {
    const found = this.#binary(1);
    if (this.#next.type !== 'end') throw this.#unexpected(`extraneous input`, END);
    return found;
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const { type, text } = this.#next;
      const binding = type === 'sign' && Object.hasOwn(BINDING, text) ? BINDING[text] : undefined;
      if (binding === undefined || binding < least) return left;
      this.#advance();
      const right = this.#binary(binding + 1);
      left = { kind: KINDS.call, name: `_${text}_`, args: [left, right] };
    }
  }

  #unary(): Expression {
    const { type, text } = this.#next;
    if (type !== 'sign' || (text !== '!' && text !== '-')) return this.#member();
    this.#advance();
    return { kind: KINDS.call, name: `${text}_`, args: [this.#deeper(() => this.#unary())] };
  }

  #member(): Expression {
    let found = this.#primary();
    for (;;) {
      if (this.#takes('.')) {
        const field = this.#name();
        found = this.#takes('(')
          ? { kind: KINDS.call, name: field, args: this.#items(')') }
          : { kind: KINDS.select, operand: found, field };
      } else if (this.#takes('[')) {
        const index = this.#deeper(() => this.#binary(1));
        this.#expect(']');
        found = { kind: KINDS.call, name: '_[_]', args: [found, index] };
      } else {
        return found;
      }
    }
  }

  #primary(): Expression {
    const { type, text } = this.#next;
    if (type === 'text' || type === 'number') {
      this.#advance();
      return { kind: KINDS.literal, ...literal(type, text) };
    }
    if (type === 'name') {
      this.#advance();
      if (this.#takes('(')) return { kind: KINDS.call, name: text, args: this.#items(')') };
      if (text === 'true' || text === 'false') {
        return { kind: KINDS.literal, type: 'bool', value: text };
      }
      if (text === 'null') return { kind: KINDS.literal, type: 'structpb.NullValue', value: text };
      return { kind: KINDS.ident, name: text };
    }
    if (this.#takes('(')) {
      const inner = this.#deeper(() => this.#binary(1));
      this.#expect(')');
      return inner;
    }
    if (this.#takes('[')) {
      this.#items(']');
      return { kind: KINDS.list };
    }
    throw this.#unexpected('mismatched input', 'an expression');
  }

  #items(end: string): readonly Expression[] {
    const items: Expression[] = [];
    if (this.#takes(end)) return items;
    do items.push(this.#deeper(() => this.#binary(1)));
    while (this.#takes(','));
    this.#expect(end);
    return items;
  }

  #deeper<R>(parse: () => R): R {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new SyntaxProblem('expression recursion limit exceeded');
    const found = parse();
    this.#depth -= 1;
    return found;
  }

  #name(): string {
    const { type, text } = this.#next;
    if (type !== 'name') throw this.#unexpected('mismatched input', 'IDENTIFIER');
    this.#advance();
    return text;
  }

  #takes(sign: string): boolean {
    if (this.#next.type !== 'sign' || this.#next.text !== sign) return false;
    this.#advance();
    return true;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw this.#unexpected('mismatched input', `'${sign}'`);
  }

  #unexpected(what: string, expected: string): SyntaxProblem {
    return new SyntaxProblem(`Syntax error: ${what} '${this.#next.text}' expecting ${expected}`);
  }

  #advance(): void {
    this.#next = this.#read();
  }

  #read(): Token {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found === null) {
      const rest = this.#text.slice(this.#at).trimStart();
      if (rest === '') return { type: 'end', text: END };
      throw new SyntaxProblem(`Syntax error: token recognition error at: '${rest.slice(0, 1)}'`);
    }
    this.#at = TOKEN.lastIndex;
    const [[type, text] = ['end', END]] = Object.entries(found.groups ?? {}).filter(
      ([, value]) => value !== undefined,
    );
    return { type: type as Token['type'], text: text ?? END };
  }
}

function literal(
  type: 'text' | 'number',
  text: string,
): { readonly type: LiteralType; readonly value: string } {
  if (type === 'text') return { type: 'string', value: text.slice(1, -1) };
  if (text.endsWith('u')) return { type: 'uint64', value: text };
  const isWhole = /^(?:0x[\da-fA-F]+|\d+)$/.test(text);
  return { type: isWhole ? 'int64' : 'float64', value: text };
}
