import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { parseSync, Visitor } from 'oxc-parser';
import { minify } from 'terser';

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
    format: { ecma: 2022 },
    sourceMap: { content: map, includeSources: true },
  });
  if (typeof short.code !== 'string' || typeof short.map !== 'string') {
    throw new Error('the program was not shortened: there is no code, or no map');
  }
  return { code: short.code, map: withNamesOfRenamed(short.code, short.map) };
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
    if (value === null || !/^(?:Arrow)?Function|^Class/.test(value.type)) return;
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
