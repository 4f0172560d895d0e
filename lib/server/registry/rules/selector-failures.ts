import { goQuote } from './go-text.ts';
import { labelValue, qualifiedName } from './name-forms.ts';

const BINARY = 'in, notin, =, ==, !=, gt, lt';

interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };

/**
 * The words in which an API server refuses a label selector; tools and people search for them. `undefined` for one that it accepts.
 * Only a selector that could not be parsed is read a second time.
 * @see apimachinery labels/selector.go @ v0.36.3
 */
export function labelSelectorFailure(text: string): string | undefined {
  const tokens = tokensOf(text);
  let at = 0;
  for (;;) {
    const first = tokenAt(tokens, at);
    if (first.kind === 'end') return undefined;
    if (!beginsRequirement(first)) {
      return `found '${first.text}', expected: !, identifier, or 'end of string'`;
    }
    const read = requirement(tokens, at);
    if (typeof read === 'string') return `unable to parse requirement: ${read}`;
    const [after, next] = [tokenAt(tokens, read), tokens[read + 1]];
    if (after.kind === 'end') return undefined;
    if (after.text !== ',') return `found '${after.text}', expected: ',' or 'end of string'`;
    if (next !== undefined && !beginsRequirement(next)) {
      return `found '${next.text}', expected: identifier after ','`;
    }
    at = read + 1;
  }
}

/** Beyond the end is the end. */
function tokenAt(tokens: readonly Token[], at: number): Token {
  return tokens[at] ?? END;
}

function beginsRequirement({ kind, text }: Token): boolean {
  return kind === 'word' || (kind === 'symbol' && text === '!');
}

/** The place after a requirement, or what is wrong with it. */
function requirement(tokens: readonly Token[], start: number): number | string {
  const absent = tokenAt(tokens, start).text === '!';
  const at = absent ? start + 1 : start;
  const key = tokenAt(tokens, at);
  if (key.kind !== 'word') return `found '${key.text}', expected: identifier`;
  const problems = qualifiedName(key.text);
  if (problems.length > 0) {
    return `<nil>: Invalid value: ${goQuote(key.text)}: ${problems.join('; ')}`;
  }
  const operator = tokenAt(tokens, at + 1);
  if (absent || operator.kind === 'end' || operator.text === ',') return at + 1;
  switch (operator.text) {
    case 'in':
    case 'notin':
      return valueSet(tokens, at + 2, key.text);
    case '=':
    case '==':
    case '!=':
    case '>':
    case '<':
      return exactValue(tokens, at + 2, key.text, operator.text);
    default:
      return `found '${operator.text}', expected: ${BINARY}`;
  }
}

function exactValue(
  tokens: readonly Token[],
  at: number,
  key: string,
  operator: string,
): number | string {
  const value = tokenAt(tokens, at);
  const isEmpty = value.kind === 'end' || value.text === ',';
  if (!isEmpty && value.kind !== 'word') return `found '${value.text}', expected: identifier`;
  const text = isEmpty ? '' : value.text;
  const problems = [
    ...(operator === '>' || operator === '<' ? integerProblems(text) : []),
    ...valueProblems([text], key),
  ];
  return problems.length > 0 ? joined(problems) : isEmpty ? at : at + 1;
}

function integerProblems(text: string): string[] {
  if (isInteger(text)) return [];
  return [
    `values[0]: Invalid value: ${goQuote(text)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  ];
}

/** Of 64 bits, with a sign. */
function isInteger(text: string): boolean {
  if (!/^[+-]?\d{1,63}$/.test(text)) return false;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value;
}

function valueSet(tokens: readonly Token[], start: number, key: string): number | string {
  const open = tokenAt(tokens, start);
  if (open.text !== '(' || open.kind !== 'symbol') return `found '${open.text}' expected: '('`;
  const first = tokenAt(tokens, start + 1);
  if (first.text === ')') return start + 2;
  if (first.kind !== 'word' && first.text !== ',') {
    return `found '${first.text}', expected: ',', ')' or identifier`;
  }
  const values: string[] = [];
  for (let at = start + 1; ; at += 1) {
    const [token, next] = [tokenAt(tokens, at), tokens[at + 1]];
    if (token.kind === 'word') {
      values.push(token.text);
      if (next?.text !== ',' && next?.text !== ')')
        return `found '${next?.text ?? ''}', expected: ',' or ')'`;
    } else if (token.kind !== 'symbol' || token.text !== ',') {
      return `found '${token.text}', expected: ',', or identifier`;
    }
    if (next?.text !== ')') continue;
    const problems = valueProblems([...new Set(values)].toSorted(), key);
    return problems.length > 0 ? joined(problems) : at + 2;
  }
}

function valueProblems(values: readonly string[], key: string): string[] {
  return values.flatMap((value, index) => {
    const problems = labelValue(value);
    if (problems.length === 0) return [];
    return [`values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${problems.join('; ')}`];
  });
}

function joined(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`;
}

/** Symbols that touch are read as one as long as they make an operator. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /[ \t\r\n]*(==|!=|[=!,()<>]|[^ \t\r\n=!,()<>]+)/y;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const token = match[1] as string;
    tokens.push({ kind: /^[=!,()<>]/.test(token) ? 'symbol' : 'word', text: token });
  }
  return [...tokens, END];
}

/**
 * The words in which an API server refuses a field selector that cannot be parsed; or the field that it goes on to look for.
 * @see apimachinery fields/selector.go @ v0.36.3
 */
export function fieldSelectorFailure(
  text: string,
): { readonly message: string } | { readonly field: string } | undefined {
  const terms = (text.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? [])
    .toSorted()
    .map((term) => ({ term, parts: /^(.*?)(?:!=|==|=)(.*)$/s.exec(term) }));
  for (const { term, parts } of terms) {
    if (parts === null)
      return { message: `invalid selector: '${text}'; can't understand '${term}'` };
    const problem = escapeProblem(parts[2] ?? '');
    if (problem !== undefined) return { message: `invalid field selector: ${problem}` };
  }
  const fields = terms.map(({ parts }) => parts?.[1] ?? '');
  const field = fields.find((one) => one === '' || /[\s\\!]/.test(one));
  return field === undefined ? undefined : { field };
}

/** A backslash stands before `\`, `,` or `=`, and `=` has one before it. */
function escapeProblem(value: string): string | undefined {
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '=') return `unescaped character in value: ${'='.charCodeAt(0)}`;
    if (value[at] !== '\\') continue;
    at += 1;
    const escaped = value[at] ?? '';
    if (escaped === '' || !'\\,='.includes(escaped)) return `invalid escape sequence: \\${escaped}`;
  }
  return undefined;
}
