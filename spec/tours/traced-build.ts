import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { parseSync } from 'oxc-parser';
import { BUNDLE } from '../package/bundled-packages.ts';

/** The function of the global scope that is called with "file#function" when a function is entered, and when it resumes. */
const PASSED = '__passed';

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly kind?: string;
  readonly key?: { readonly name?: string };
  readonly id?: { readonly name?: string } | null;
  readonly body?: SyntaxNode | readonly SyntaxNode[] | null;
  readonly value?: SyntaxNode | null;
  readonly init?: SyntaxNode | null;
  readonly await?: boolean;
}

interface Insertion {
  readonly at: number;
  readonly piece: string;
}

/** Folders whose functions are followed; those of `kernel` and `meta` serve all others. */
const FOLLOWED = /[\\/]lib[\\/](?:cache|client|controller|kinds|server)[\\/].*\.ts$/;

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * Bundles these programs with all of `lib` that they import, so that each function of a tour says its name when it is entered and when
 * it continues after an `await` or a `yield`. Functions without a name count as the one around them.
 */
export async function tracedBuild(programs: readonly string[], folder: string): Promise<void> {
  await build({
    ...BUNDLE,
    entryPoints: programs.map((program) => join(import.meta.dirname, program)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    keepNames: true,
    plugins: [traced],
  });
}

const traced: Plugin = {
  name: 'traced',
  setup: (asked) => {
    asked.onLoad({ filter: FOLLOWED }, ({ path }) => ({
      contents: tracedText(path),
      loader: 'ts',
      resolveDir: dirname(path),
    }));
  },
};

function tracedText(path: string): string {
  const text = readFileSync(path, 'utf8');
  const insertions: Insertion[] = [];
  collect(parseSync(path, text).program as unknown as SyntaxNode, basename(path), '', insertions);
  let result = '';
  let from = 0;
  // The sort keeps the order of the walk where several stand at one place: begins from the outermost in, ends from the innermost out.
  for (const { at, piece } of insertions.toSorted((left, right) => left.at - right.at)) {
    result += text.slice(from, at) + piece;
    from = at;
  }
  return result + text.slice(from);
}

/** Walks the tree in the order of the text. `name` is the function or the class around the node. */
function collect(node: SyntaxNode, file: string, name: string, found: Insertion[]): void {
  const inner = nameOf(node, name);
  const call = `globalThis.${PASSED}?.(${JSON.stringify(`${file}#${inner}`)})`;
  const { body } = node;
  if (FUNCTIONS.has(node.type) && body && !Array.isArray(body)) {
    const block = body as SyntaxNode;
    if (block.type === 'BlockStatement') found.push({ at: block.start + 1, piece: `${call};` });
    else found.push({ at: block.start, piece: `(${call}, ` });
    visit(node, file, inner, found);
    if (block.type !== 'BlockStatement') found.push({ at: block.end, piece: ')' });
  } else if (node.type === 'AwaitExpression' || node.type === 'YieldExpression') {
    found.push({ at: node.start, piece: '(((result: any) => (' + call + ', result))(' });
    visit(node, file, inner, found);
    found.push({ at: node.end, piece: '))' });
  } else if (node.type === 'ForOfStatement' && node.await === true) {
    const block = body as SyntaxNode;
    if (block.type === 'BlockStatement') found.push({ at: block.start + 1, piece: `${call};` });
    visit(node, file, inner, found);
  } else {
    visit(node, file, inner, found);
  }
}

function visit(node: SyntaxNode, file: string, name: string, found: Insertion[]): void {
  for (const child of Object.values(node).flat().filter(isNode)) collect(child, file, name, found);
}

/** A class, then a method or a field of it; a function of the module, or a constant that holds one. */
function nameOf(node: SyntaxNode, around: string): string {
  const own = node.id?.name ?? node.key?.name;
  if (own === undefined) return around;
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') return own;
  if (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') {
    return `${around.replace(/\..*/, '')}.${own}`;
  }
  const isDeclared = node.type === 'FunctionDeclaration' || node.type === 'VariableDeclarator';
  return isDeclared && around === '' ? own : around;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
