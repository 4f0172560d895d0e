import { parseSync } from 'oxc-parser';
import { isSkipped, isType } from './equivalent-places.ts';
import type { Mutation, Place } from './mutation.ts';
import { childrenOf, type SyntaxNode } from './syntax-node.ts';

/** The text that takes the place of a node, or of a part of it. */
interface Change {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly place: Place;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const EQUALITIES: Readonly<Record<string, string>> = { '===': '!==', '!==': '===' };
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*' };
const ASSIGNMENTS: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=' };
const LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };

/** Statements whose test decides. */
const TESTED: ReadonlySet<string> = new Set([
  'IfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'ConditionalExpression',
]);
/** Expressions that do something when they stand alone. */
const EFFECTS: ReadonlySet<string> = new Set([
  'CallExpression',
  'AssignmentExpression',
  'UpdateExpression',
  'AwaitExpression',
  'UnaryExpression',
  'ChainExpression',
]);
/** Statements that leave a block early. */
const EXITS: ReadonlySet<string> = new Set([
  'ReturnStatement',
  'ThrowStatement',
  'ContinueStatement',
  'BreakStatement',
]);

/**
 * Every mutation of a TypeScript source, in the order of the text. Types, imports and messages are left alone.
 * @throws {Error} when the source itself cannot be parsed.
 */
export function mutationsOf(file: string, text: string): Mutation[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const changes: Change[] = [];
  walk(program, [], text, changes);
  return changes
    .toSorted((left, right) => left.start - right.start || left.end - right.end)
    .map((change) => toMutation(text, change));
}

function walk(
  node: SyntaxNode,
  parents: readonly SyntaxNode[],
  text: string,
  changes: Change[],
): void {
  if (isType(node) || isSkipped(node)) return;
  changes.push(...changesOf(node, parents, text));
  for (const child of childrenOf(node)) walk(child, [...parents, node], text, changes);
}

function changesOf(node: SyntaxNode, parents: readonly SyntaxNode[], text: string): Change[] {
  const parent = parents.at(-1);
  switch (node.type) {
    case 'BinaryExpression':
      return ofBinary(node, text);
    case 'LogicalExpression':
      return replaced('logic', node, text, LOGIC);
    case 'AssignmentExpression':
      return isText(node.right) ? [] : replaced('arithmetic', node, text, ASSIGNMENTS);
    case 'Literal':
      return ofLiteral(node, parent);
    case 'ExpressionStatement':
      return ofStatement(node, parents);
    case 'ReturnStatement':
      return [...ofExit(node, parents), ...ofAnswer(node, parents, text)];
    default:
      if (TESTED.has(node.type)) return ofTest(node.test as SyntaxNode, text);
      return EXITS.has(node.type) ? ofExit(node, parents) : [];
  }
}

/** Between the operands lies the operator, with white space or comments around it. */
function replaced(
  operator: string,
  node: SyntaxNode,
  text: string,
  table: Readonly<Record<string, string>>,
): Change[] {
  const { left, right, operator: sign } = node;
  const replacement = table[sign ?? ''];
  if (replacement === undefined || left === undefined || right === undefined) return [];
  const start = text.indexOf(sign ?? '', left.end);
  if (start === -1 || start >= right.start) return [];
  const end = start + (sign ?? '').length;
  return [{ operator, start, end, replacement, place: expression(node) }];
}

function ofBinary(node: SyntaxNode, text: string): Change[] {
  if (isText(node.left) || isText(node.right)) return [];
  return [
    ...replaced('boundary', node, text, BOUNDARIES),
    ...replaced('equality', node, text, EQUALITIES),
    ...replaced('arithmetic', node, text, ARITHMETIC),
  ];
}

/** `+` with a text on one side joins texts. */
function isText(node: SyntaxNode | undefined): boolean {
  if (node === undefined) return false;
  if (node.type === 'TemplateLiteral') return true;
  if (node.type === 'Literal') return typeof node.value === 'string' && node.value !== '';
  return node.type === 'BinaryExpression' && (isText(node.left) || isText(node.right));
}

function ofLiteral(node: SyntaxNode, parent: SyntaxNode | undefined): Change[] {
  const { start, end, value, raw } = node;
  const place = expression(node);
  if (typeof value === 'boolean') {
    return [{ operator: 'boolean', start, end, replacement: String(!value), place }];
  }
  // A key of an object is a name.
  if (parent?.type === 'Property' && parent.key?.start === start) return [];
  const bumped = { '0': '1', '1': '2', '0n': '1n', '1n': '2n' }[raw ?? ''];
  if (bumped === undefined) return [];
  return [{ operator: 'number', start, end, replacement: bumped, place }];
}

function ofTest(test: SyntaxNode, text: string): Change[] {
  const { start, end } = test;
  // The equality operator does the same.
  if (test.type === 'BinaryExpression' && EQUALITIES[test.operator ?? ''] !== undefined) return [];
  if (test.type === 'Literal') return [];
  const bare = test.type === 'UnaryExpression' && test.operator === '!';
  const replacement = bare ? text.slice(start + 1, end) : `!(${text.slice(start, end)})`;
  return [{ operator: 'condition', start, end, replacement, place: expression(test) }];
}

function ofStatement(
  { start, end, expression }: SyntaxNode,
  parents: readonly SyntaxNode[],
): Change[] {
  if (expression === undefined || !EFFECTS.has(expression.type)) return [];
  if (expression.callee?.type === 'Super') return [];
  const method = parents.findLast(({ type }) => type === 'MethodDefinition');
  // A constructor that keeps nothing of what it is given fails every spec.
  if (method?.kind === 'constructor' && expression.right?.type === 'Identifier') return [];
  return [
    { operator: 'statement', start, end, replacement: ';', place: statement({ start, end }) },
  ];
}

/** An exit from the branch of an `if`: without it, what follows runs as well. */
function ofExit({ start, end }: SyntaxNode, parents: readonly SyntaxNode[]): Change[] {
  const parent = parents.at(-1);
  const owner = parent?.type === 'BlockStatement' ? parents.at(-2) : parent;
  if (owner?.type !== 'IfStatement') return [];
  return [{ operator: 'exit', start, end, replacement: ';', place: statement({ start, end }) }];
}

/** The answer of a function that is declared to say yes or no. */
function ofAnswer(
  { argument }: SyntaxNode,
  parents: readonly SyntaxNode[],
  text: string,
): Change[] {
  if (argument === undefined || argument === null || argument.type === 'Literal') return [];
  const owner = parents.findLast(({ type }) => type.includes('Function'));
  if (owner?.returnType?.typeAnnotation?.type !== 'TSBooleanKeyword') return [];
  const { start, end } = argument;
  const replacement = `!(${text.slice(start, end)})`;
  return [{ operator: 'answer', start, end, replacement, place: expression({ start, end }) }];
}

function expression({ start, end }: Pick<SyntaxNode, 'start' | 'end'>): Place {
  return { start, end, statement: false };
}

function statement({ start, end }: Pick<SyntaxNode, 'start' | 'end'>): Place {
  return { start, end, statement: true };
}

function toMutation(text: string, change: Change): Mutation {
  const before = text.slice(0, change.start);
  const line = before.split('\n').length;
  const column = change.start - before.lastIndexOf('\n');
  return { id: `${change.operator}@${line}:${column}`, line, ...change };
}
