const INLINE_FLAGS = /^\(\?([ims]+)\)/;

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** Maximum number of compiled patterns in the cache; they come from definitions. */
const MOST_KEPT = 1000;
const kept = new Map<string, RegExp | undefined>();

/**
 * Translates a pattern of a schema, which has the syntax of Go's regexp package, to a JavaScript regular expression: leading
 * flags, `\A`, `\z` and POSIX classes. Undefined when the pattern needs more than that.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  if (kept.has(pattern)) return kept.get(pattern);
  const compiled = compile(pattern);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): RegExp | undefined {
  const flags = INLINE_FLAGS.exec(pattern);
  const source = (flags === null ? pattern : pattern.slice(flags[0].length))
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll(/\[:([a-z]+):\]/g, (whole, name: string) => POSIX_CLASSES[name] ?? whole);
  for (const mode of ['u', '']) {
    try {
      return new RegExp(source, `${flags?.[1] ?? ''}${mode}`);
    } catch {
      // The next mode is more lenient; after the last one, the pattern cannot be translated.
    }
  }
  return undefined;
}
