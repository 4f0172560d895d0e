import { type Expression, KINDS, parseExpression, SyntaxProblem } from './expression.ts';

/** One range of a shard selector. */
export interface ShardRange {
  /** `object.metadata.uid` or `object.metadata.namespace`. */
  readonly field: string;
  /** The first hash of the range: `0x` and 16 digits. */
  readonly start: string;
  /** The first hash after it; at most `0x10000000000000000`. */
  readonly end: string;
}

/** A text that is no shard selector; the message is that of kube-apiserver. */
export class ShardProblem extends Error {
  override readonly name = 'ShardProblem';
}

const FIELDS: readonly string[] = ['object.metadata.uid', 'object.metadata.namespace'];
const DIGITS = 16;
const ALL = '0x10000000000000000';

/**
 * The ranges of `shardRange(…) || shardRange(…)`.
 * @throws {ShardProblem}
 * @see apiserver pkg/sharding/parser.go @ v0.37.2
 */
export function parseShardRanges(text: string): readonly ShardRange[] {
  const trimmed = text.trim();
  if (trimmed === '') {
    const remedy = 'omit the parameter for unfiltered lists';
    throw new ShardProblem(`empty shard selector is not allowed; ${remedy}`);
  }
  const ranges = alternatives(parsed(trimmed)).map(rangeOf);
  const [first] = ranges;
  for (const { field } of ranges) {
    if (field === first?.field) continue;
    const fields = `${quoted(first?.field ?? '')} and ${quoted(field)}`;
    throw new ShardProblem(`all shard ranges must use the same field, got ${fields}`);
  }
  return ranges;
}

function parsed(text: string): Expression {
  try {
    return parseExpression(text);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    throw new ShardProblem(`CEL parse error: ${error.message}`);
  }
}

/** The operands of `||`, from left to right. */
function alternatives(expression: Expression): Expression[] {
  const found: Expression[] = [];
  let left = expression;
  while (left.kind === KINDS.call && left.name === '_||_') {
    const [first, second] = left.args as readonly [Expression, Expression];
    found.unshift(...alternatives(second));
    left = first;
  }
  found.unshift(left);
  return found;
}

function rangeOf(expression: Expression): ShardRange {
  if (expression.kind !== KINDS.call) {
    throw new ShardProblem(
      `unexpected expression kind ${expression.kind}; expected shardRange() call or || operator`,
    );
  }
  const { name, args } = expression;
  if (name !== 'shardRange') {
    throw new ShardProblem(
      `unsupported function ${quoted(name)}; only shardRange() and || are allowed`,
    );
  }
  if (args.length !== 3) {
    throw new ShardProblem(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  }
  const [place, from, to] = args as readonly [Expression, Expression, Expression];
  const field = pathOf(place);
  if (!FIELDS.includes(field)) {
    throw new ShardProblem(
      `unsupported field path ${quoted(field)}; supported: ${FIELDS.join(', ')}`,
    );
  }
  const start = hashOf(from, 'hexStart');
  const end = hashOf(to, 'hexEnd');
  if (start.length < end.length || (start.length === end.length && start < end)) {
    return { field, start, end };
  }
  throw new ShardProblem(`shard range start ${start} must be less than end ${end}`);
}

function pathOf(expression: Expression): string {
  const names: string[] = [];
  let place = expression;
  for (; place.kind === KINDS.select; place = place.operand) names.unshift(place.field);
  if (place.kind === KINDS.ident) return [place.name, ...names].join('.');
  throw new ShardProblem(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${place.kind}`,
  );
}

function hashOf(expression: Expression, name: string): string {
  if (expression.kind !== KINDS.literal) {
    throw new ShardProblem(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${expression.kind}`,
    );
  }
  const { type, value } = expression;
  if (type !== 'string') throw new ShardProblem(`${name} must be a string literal, got ${type}`);
  if (!value.startsWith('0x')) {
    throw new ShardProblem(`${name} must have '0x' prefix, got ${quoted(value)}`);
  }
  const digits = value.slice(2);
  const problem = problemOf(digits, value);
  if (problem !== undefined) throw new ShardProblem(`${name}${problem}`);
  return value;
}

function problemOf(digits: string, value: string): string | undefined {
  if (digits === '') return ": hex value is required after '0x'";
  if (digits.length > DIGITS + 1) {
    return `: hex value too long (${digits.length} chars, max 17): ${quoted(digits)}`;
  }
  const [wrong] = /[^\da-f]/u.exec(digits) ?? [];
  if (wrong !== undefined) return `: invalid hex character ${quoted(wrong)} in ${quoted(value)}`;
  if (digits.length > DIGITS) {
    if (value === ALL) return undefined;
    return `: 17-digit hex value must be '${ALL}' (2^64), got ${quoted(value)}`;
  }
  if (digits.length === DIGITS) return undefined;
  const meant = quoted(`0x${digits.padStart(DIGITS, '0')}`);
  return ` must be a 0x-prefixed 16-digit hex value, got ${quoted(value)} (did you mean ${meant}?)`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
