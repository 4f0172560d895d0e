import type { SyntaxNode } from './syntax-node.ts';

/** Type syntax around a value, which is looked through. */
const AROUND_VALUES: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSInstantiationExpression',
]);

/** Calls that write a text for a reader: a change of them is no change of behaviour. */
const REPORTS = /^(?:log|debug|info|warn|error|describe|assert|.*(?:Error|Message|Logger))$/;

/** Declarations of types, and imports and exports by name. */
export function isType({ type }: SyntaxNode): boolean {
  if (type.startsWith('TS')) return !AROUND_VALUES.has(type);
  return /^(?:Import|ExportAll|ImportExpression)/.test(type);
}

/** Where a mutation would most likely be equivalent: what becomes of it is read by people only. */
export function isSkipped(node: SyntaxNode): boolean {
  const { type, callee, key } = node;
  if (type === 'TemplateLiteral') return true;
  if (type === 'Property') return key?.name === 'describe';
  if (type !== 'CallExpression' && type !== 'NewExpression') return false;
  const name = callee?.type === 'MemberExpression' ? callee.property?.name : callee?.name;
  return name !== undefined && REPORTS.test(name);
}
