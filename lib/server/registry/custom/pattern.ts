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

/** Compiled patterns that are kept; there are as many as definitions write down. */
const MOST_KEPT = 1000;
const kept = new Map<string, RegExp | undefined>();

/**
 * A pattern of a schema, which is written for Go's regexp package, as a regular expression of the platform: leading flags,
 * `\A`, `\z` and POSIX classes are translated. Undefined when that is not enough.
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
      // The next mode is more lenient; after the last one the pattern counts as untranslatable.
    }
  }
  return undefined;
}
