import type { RuneSet } from './rune-set.ts';

/** A part of a pattern that holds between two characters. */
export type Assertion = 'text-begin' | 'text-end' | 'line-begin' | 'line-end' | 'word' | 'no-word';

/** The syntax tree of a pattern. `size` is the number of instructions that it becomes, `height` the depth of the tree. */
export type PatternNode = { readonly size: number; readonly height: number } & (
  | { readonly type: 'set'; readonly set: RuneSet }
  | { readonly type: 'assert'; readonly assertion: Assertion }
  | { readonly type: 'all'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'any'; readonly parts: readonly PatternNode[] }
  | {
      readonly type: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** -1 for no limit. */
      readonly most: number;
      /** Whether it was written with braces, whose numbers multiply. */
      readonly counted: boolean;
    }
);

/** Maximum number of instructions of a pattern: what matching costs for each character. */
const MOST_INSTRUCTIONS = 50_000;
const DEEPEST = 1000;

export class PatternSyntaxError extends Error {
  override readonly name: string = 'PatternSyntaxError';

  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${part}\``);
  }
}

export function setNode(set: RuneSet): PatternNode {
  return { type: 'set', set, size: 1 + (set.ranges.length >> 5), height: 1 };
}

export function assertNode(assertion: Assertion): PatternNode {
  return { type: 'assert', assertion, size: 1, height: 1 };
}

/** Parts one after the other, or one of them. */
export function groupNode(
  type: 'all' | 'any',
  parts: readonly PatternNode[],
  pattern: string,
): PatternNode {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  let size = type === 'any' ? parts.length : 0;
  let height = 0;
  for (const part of parts) {
    size += part.size;
    height = Math.max(height, part.height);
  }
  return checked({ type, parts, size, height: height + 1 }, pattern);
}

/** A group that Go keeps the text of; here it only counts towards the depth. */
export function captureNode(node: PatternNode, pattern: string): PatternNode {
  return checked({ ...node, height: node.height + 1 }, pattern);
}

export function repeatNode(
  part: PatternNode,
  times: { readonly least: number; readonly most: number; readonly counted: boolean },
  pattern: string,
): PatternNode {
  const { least, most } = times;
  const size = most < 0 ? part.size * Math.max(least, 1) + 1 : part.size * most + (most - least);
  return checked({ type: 'repeat', part, ...times, size, height: part.height + 1 }, pattern);
}

function checked(node: PatternNode, pattern: string): PatternNode {
  if (node.size > MOST_INSTRUCTIONS) throw new PatternSyntaxError('expression too large', pattern);
  if (node.height > DEEPEST) throw new PatternSyntaxError('expression nests too deeply', pattern);
  return node;
}

/** Whether the product of nested counts stays within a limit. */
export function countsWithin(node: PatternNode, limit: number): boolean {
  let rest = limit;
  if (node.type === 'repeat') {
    if (node.counted) {
      if (node.most === 0) return true;
      const most = node.most < 0 ? node.least : node.most;
      if (most > rest) return false;
      if (most > 0) rest = Math.floor(rest / most);
    }
    return countsWithin(node.part, rest);
  }
  if (node.type === 'all' || node.type === 'any') {
    return node.parts.every((part) => countsWithin(part, rest));
  }
  return true;
}
