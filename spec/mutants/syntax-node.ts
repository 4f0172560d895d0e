/** A node of the parser's tree, with the fields that the mutator reads. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly kind?: string;
  readonly operator?: string;
  readonly left?: SyntaxNode;
  readonly right?: SyntaxNode;
  readonly test?: SyntaxNode;
  readonly expression?: SyntaxNode;
  readonly argument?: SyntaxNode | null;
  readonly callee?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly key?: SyntaxNode;
  readonly name?: string;
  readonly value?: unknown;
  readonly raw?: string;
  readonly returnType?: { readonly typeAnnotation?: SyntaxNode };
}

/** The nodes directly below. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
