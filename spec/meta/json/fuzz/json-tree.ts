import type { Dice } from '../../../soak/dice.ts';

/** JSON before it is written: keys may come twice and in any order, and scalars may be anything. */
export type JsonTree =
  | { readonly raw: string }
  | { readonly text: string }
  | { readonly items: JsonTree[] }
  | { readonly fields: JsonField[] };

export interface JsonField {
  key: string;
  value: JsonTree;
}

export interface WritingStyle {
  /** How likely whitespace is at each place where it may stand. */
  readonly space: number;
  /** How likely a text is written with escapes. */
  readonly escapes: number;
}

export const COMPACT: WritingStyle = { space: 0, escapes: 0 };

export function treeOf(value: unknown): JsonTree {
  if (typeof value === 'string') return { text: value };
  if (Array.isArray(value)) return { items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value) };
  return { fields: Object.entries(value).map(([key, one]) => ({ key, value: treeOf(one) })) };
}

export function writeTree(tree: JsonTree, style: WritingStyle, dice: Dice): string {
  const space = (): string =>
    style.space > 0 && dice.chance(style.space) ? dice.pick([' ', '\t', '  ', '\r']) : '';
  const text = (value: string): string =>
    style.escapes > 0 && dice.chance(style.escapes) ? escaped(value, dice) : JSON.stringify(value);
  const joined = (parts: readonly string[]): string =>
    parts.map((part) => space() + part + space()).join(',') || space();
  const write = (one: JsonTree): string => {
    if ('raw' in one) return one.raw;
    if ('text' in one) return text(one.text);
    if ('items' in one) return `[${joined(one.items.map(write))}]`;
    const fields = one.fields.map(
      ({ key, value }) => `${text(key)}${space()}:${space()}${write(value)}`,
    );
    return `{${joined(fields)}}`;
  };
  return space() + write(tree) + space();
}

/** Some of its characters as `\u` with four digits, in either case. */
function escaped(value: string, dice: Dice): string {
  let written = '';
  for (let index = 0; index < value.length; index += 1) {
    if (dice.chance(0.5)) {
      written += JSON.stringify(value[index]).slice(1, -1);
      continue;
    }
    const digits = value.charCodeAt(index).toString(16).padStart(4, '0');
    written += `\\u${dice.chance(0.5) ? digits : digits.toUpperCase()}`;
  }
  return `"${written}"`;
}

/** All objects and arrays of a tree, itself included. */
export function* branchesOf(tree: JsonTree): Generator<JsonTree> {
  if ('items' in tree) {
    yield tree;
    for (const item of tree.items) yield* branchesOf(item);
  } else if ('fields' in tree) {
    yield tree;
    for (const { value } of tree.fields) yield* branchesOf(value);
  }
}
