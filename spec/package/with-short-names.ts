import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { parseSync, Visitor } from 'oxc-parser';
import { minify } from 'terser';

/** Node prints the line that throws, so a line is short. A text that is longer stays in one. */
const LONGEST_LINE = 160;

export interface Program {
  readonly code: string;
  /** The source map, as JSON. */
  readonly map: string;
}

/**
 * The same program with short names for variables and parameters. Names that a stack trace, an error or a report shows stay: those of
 * functions, classes, methods and properties, also of a function that has the name of its variable.
 */
export async function withShortNames({ code, map }: Program): Promise<Program> {
  const short = await minify(code, {
    compress: false,
    module: true,
    mangle: { keep_fnames: true, keep_classnames: true, reserved: [...namesOfFunctions(code)] },
    format: { ecma: 2022, max_line_len: LONGEST_LINE },
    sourceMap: { content: map, includeSources: true },
  });
  if (typeof short.code !== 'string' || typeof short.map !== 'string') {
    throw new Error('the program was not shortened: there is no code, or no map');
  }
  const named = withPrivateNames(code, { code: short.code, map: short.map });
  return { code: named.code, map: withNamesOfRenamed(named.code, named.map) };
}

interface PrivateName {
  readonly name: string;
  /** After the `#`. */
  readonly start: number;
  readonly end: number;
}

/** Private members get their names back: a trace shows those of methods. The names come in the same order in both programs. */
function withPrivateNames(original: string, { code, map }: Program): Program {
  const [before, after] = [privateNames(original), privateNames(code)];
  if (before.length !== after.length) throw new Error('the private names do not match');
  const edits: { readonly start: number; readonly added: number }[] = [];
  let text = '';
  let at = 0;
  for (const [index, { start, end, name }] of after.entries()) {
    const { name: own = '' } = before[index] ?? {};
    text += code.slice(at, start) + own;
    at = end;
    edits.push({ start, added: own.length - name.length });
  }
  return { code: text + code.slice(at), map: movedMap(code, map, edits) };
}

/** The map of a program of which some names became longer. */
function movedMap(
  code: string,
  map: string,
  edits: readonly { readonly start: number; readonly added: number }[],
): string {
  const { mappings, ...rest } = JSON.parse(map) as { mappings: string };
  let lineStart = 0;
  let next = 0;
  const lines = code.split('\n');
  const moved = decode(mappings).map((segments, line) => {
    let added = 0;
    const places = segments.map((segment): SourceMapSegment => {
      const [column, ...place] = segment;
      for (let edit = edits[next]; edit !== undefined && edit.start < lineStart + column; ) {
        added += edit.added;
        next += 1;
        edit = edits[next];
      }
      return [column + added, ...place] as unknown as SourceMapSegment;
    });
    lineStart += (lines[line] ?? '').length + 1;
    while ((edits[next]?.start ?? Infinity) < lineStart) next += 1;
    return places;
  });
  return JSON.stringify({ ...rest, mappings: encode(moved) });
}

function privateNames(code: string): readonly PrivateName[] {
  const names: PrivateName[] = [];
  new Visitor({
    PrivateIdentifier: ({ name, start, end }) => {
      names.push({ name, start: start + 1, end });
    },
  }).visit(parseSync('program.js', code, { sourceType: 'module' }).program);
  return names.toSorted((one, other) => one.start - other.start);
}

function isFunction({ type }: { readonly type: string }): boolean {
  return /^(?:Arrow)?Function|^Class/.test(type);
}

/** A place has the name of the source only where the program has another one. */
function withNamesOfRenamed(code: string, map: string): string {
  const { mappings, names, ...rest } = JSON.parse(map) as { mappings: string; names: string[] };
  const lines = code.split('\n');
  const places = decode(mappings).map((segments, line) =>
    segments.map((segment): SourceMapSegment => {
      if (segment.length !== 5) return segment;
      const [column, source, sourceLine, sourceColumn, name] = segment;
      const [identifier] = /^[\w$]+/.exec(lines[line]?.slice(column, column + 80) ?? '') ?? [];
      const renamed = identifier !== undefined && identifier !== names[name];
      return renamed ? segment : [column, source, sourceLine, sourceColumn];
    }),
  );
  return JSON.stringify({ ...rest, names, mappings: encode(places) });
}

/** The variables, parameters and fields from which a function or a class without a name takes its name. */
export function namesOfFunctions(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  const take = (target: unknown, value: { readonly type: string } | null): void => {
    if (value === null || !isFunction(value)) return;
    const { type, name } = target as { readonly type: string; readonly name?: string };
    if (type === 'Identifier' && name !== undefined) names.add(name);
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => take(id, init),
    AssignmentExpression: ({ left, right }) => take(left, right),
    AssignmentPattern: ({ left, right }) => take(left, right),
  }).visit(parseSync('program.js', code, { sourceType: 'module' }).program);
  return names;
}
