import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

const OPERATOR = resolve(import.meta.dirname, '../../../examples/site-operator/operator.ts');
const LEFT_OUT = ['ImportDeclaration', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration'];

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly declaration?: Node | null;
}

/** Replaces all but line ends, so that the other lines stay where they are. */
function blank(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ') + text.slice(end);
}

/** The lines of the reference operator, without imports, declarations of types, blank lines and comments. */
export function operatorLines(): { readonly lines: number; readonly text: readonly string[] } {
  let text = readFileSync(OPERATOR, 'utf8');
  const { program, comments } = parseSync(OPERATOR, text);
  for (const comment of comments) text = blank(text, comment);
  for (const node of program.body as readonly Node[]) {
    const { type } = node.declaration ?? node;
    if (LEFT_OUT.includes(type)) text = blank(text, node);
  }
  const left = text.split('\n').filter((line) => line.trim() !== '');
  return { lines: left.length, text: left };
}
