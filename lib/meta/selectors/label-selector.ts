import { ListwatchError } from '../../kernel/failure/errors.ts';

export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | 'absent' | '>' | '<';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Empty for `exists` and `absent`, one value for `=`, `!=`, `>` and `<`. */
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>> | undefined;

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/**
 * A parsed label selector: all requirements must hold. `!=` and `notin` also match objects that lack the key.
 * @see apimachinery labels/selector.go @ eed236c
 */
export class LabelSelector {
  readonly requirements: readonly LabelRequirement[];

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
  }

  /** Whether it matches everything. */
  get empty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    return this.requirements.every((requirement) => holds(requirement, labels));
  }

  toString(): string {
    return this.requirements.map(printRequirement).join(',');
  }
}

function valueOf(labels: Labels, key: string): string | undefined {
  return labels !== undefined && labels !== null && Object.hasOwn(labels, key)
    ? labels[key]
    : undefined;
}

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case '>':
    case '<':
      return compareIntegers(value, values[0] as string, operator);
  }
}

const INTEGER = /^[+-]?[0-9]{1,63}$/;

/** Parses a signed 64-bit integer; a server accepts no other numbers here. */
function toInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const integer = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

function compareIntegers(value: string | undefined, bound: string, operator: '>' | '<'): boolean {
  const [left, right] = [toInteger(value ?? ''), toInteger(bound)];
  if (left === undefined || right === undefined) return false;
  return operator === '>' ? left > right : left < right;
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    default:
      return `${key}${operator}${values[0] as string}`;
  }
}

/**
 * Parses `app=web,tier in (a,b),!old,count>3`. The empty text matches everything.
 * @throws {ListwatchError} code INVALID_SELECTOR pointing at the place.
 */
export function parseLabelSelector(text: string): LabelSelector {
  return new Parser(text).parse();
}

/** The `matchLabels` / `matchExpressions` form found in object specs. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

const SPEC_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'absent'],
]);

/**
 * A selector from an object, such as `spec.selector` of a Deployment.
 * @throws {ListwatchError} code INVALID_SELECTOR for an unknown operator, or a key or value that no label can have.
 */
export function labelSelectorFromSpec(spec: LabelSelectorSpec): LabelSelector {
  const { matchLabels, matchExpressions } = checkShape(spec);
  const requirements = Object.entries(matchLabels ?? {}).map(([key, value]) =>
    checkRequirement({ key, operator: '=', values: [value] }),
  );
  for (const { key, operator, values } of matchExpressions ?? []) {
    const known = SPEC_OPERATORS.get(operator);
    if (known === undefined) {
      const names = [...SPEC_OPERATORS.keys()].join(', ');
      failSpec(key, `has the unknown operator "${operator}"; known are ${names}`);
    }
    const { values: checked } = checkRequirement({ key, operator: known, values: values ?? [] });
    const sorted = checked.toSorted((a, b) => (a < b ? -1 : 1));
    requirements.push({ key, operator: known, values: sorted });
  }
  // By key, as Kubernetes prints it; a key may occur twice.
  requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return new LabelSelector(requirements);
}

/** A selector may come from an object that was not validated. */
function checkShape(spec: LabelSelectorSpec): LabelSelectorSpec {
  if (!isRecord(spec)) failSpec(spec, 'is not a selector');
  const { matchLabels, matchExpressions } = spec;
  if (!isRecord(matchLabels ?? {})) failSpec('matchLabels', 'is not a map');
  const expressions: unknown = matchExpressions ?? [];
  if (!Array.isArray(expressions) || !expressions.every(isRecord)) {
    failSpec('matchExpressions', 'is not a list of requirements');
  }
  return spec;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  if (typeof key !== 'string' || !isLabelKey(key)) failSpec(key, 'is not a label key');
  if (!Array.isArray(values)) failSpec(key, 'has values that are not a list');
  const takesValues = operator !== 'exists' && operator !== 'absent';
  if (takesValues !== values.length > 0) {
    failSpec(
      key,
      takesValues ? `${operator} needs values; give at least one` : `${operator} takes no values`,
    );
  }
  for (const value of values as readonly unknown[]) {
    if (typeof value === 'string' && (value === '' || NAME.test(value))) continue;
    failSpec(
      key,
      `${JSON.stringify(value)} is not a label value; use up to 63 letters, digits, "-", "_" and "."`,
    );
  }
  return requirement;
}

function failSpec(key: unknown, reason: string): never {
  throw new ListwatchError('INVALID_SELECTOR', `label selector: ${JSON.stringify(key)}: ${reason}`);
}

/** Other kinds of white space are part of a token, and make it invalid as a name. */
const TOKEN = /[ \t\r\n]*(==|!=|[=!,()<>]|[^ \t\r\n=!,()<>]+)/y;

class Parser {
  readonly #text: string;
  readonly #tokens: { readonly text: string; readonly at: number }[] = [];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    TOKEN.lastIndex = 0;
    // Every character except white space belongs to a token: no match means that only white space is left.
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      const token = match[1] as string;
      this.#tokens.push({ text: token, at: TOKEN.lastIndex - token.length });
    }
  }

  parse(): LabelSelector {
    const requirements: LabelRequirement[] = [];
    if (this.#tokens.length === 0) return new LabelSelector(requirements);
    do requirements.push(this.#requirement());
    while (this.#accept(','));
    if (this.#peek() !== undefined) this.#fail('expected "," or the end');
    return new LabelSelector(requirements);
  }

  #requirement(): LabelRequirement {
    if (this.#accept('!')) return { key: this.#key(), operator: 'absent', values: [] };
    const key = this.#key();
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] };
    this.#next += 1;
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: '=', values: [this.#value()] };
      case '!=':
        return { key, operator, values: [this.#value()] };
      case '>':
      case '<':
        return { key, operator, values: [this.#integer()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.#set() };
      default:
        this.#next -= 1;
        return this.#fail('expected one of = == != in notin > <');
    }
  }

  #key(): string {
    const key = this.#peek();
    if (key === undefined || !isLabelKey(key)) return this.#fail('expected a label key');
    this.#next += 1;
    return key;
  }

  #value(): string {
    const value = this.#peek();
    if (value === undefined || value === ',' || value === ')') return '';
    if (!NAME.test(value)) return this.#fail('expected a label value');
    this.#next += 1;
    return value;
  }

  #integer(): string {
    const value = this.#peek();
    // The bound must also be a label value, so it has no sign.
    if (value === undefined || !NAME.test(value) || toInteger(value) === undefined) {
      return this.#fail('expected a whole number');
    }
    this.#next += 1;
    return value;
  }

  #set(): string[] {
    if (!this.#accept('(')) this.#fail('expected "("');
    const values: string[] = [];
    do values.push(this.#value());
    while (this.#accept(','));
    if (!this.#accept(')')) this.#fail('expected ")"');
    return [...new Set(values)].toSorted();
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next]?.text;
  }

  #accept(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#next += 1;
    return true;
  }

  #fail(expected: string): never {
    const token = this.#tokens[this.#next];
    const found = token === undefined ? 'the end' : `"${token.text}"`;
    const at = token?.at ?? this.#text.length;
    throw new ListwatchError(
      'INVALID_SELECTOR',
      `label selector ${JSON.stringify(this.#text)}: ${expected}, found ${found} at position ${at}`,
    );
  }
}

function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return NAME.test(key);
  const prefix = key.slice(0, slash);
  return prefix.length <= 253 && PREFIX.test(prefix) && NAME.test(key.slice(slash + 1));
}
