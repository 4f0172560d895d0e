import { parseSync } from 'oxc-parser';

/** The source with spaces in place of its comments; code stays in its line and column. */
export function withoutComments(source: string): string {
  let text = '';
  let at = 0;
  for (const { start, end } of parseSync('source.ts', source).comments) {
    text += source.slice(at, start) + source.slice(start, end).replaceAll(/[^\n]/g, ' ');
    at = end;
  }
  return (text + source.slice(at)).replaceAll(/[ \t]+$/gm, '');
}

/** Modules that hold nothing but data: a debugger has no use for them, and the program has the same text. */
const DATA_MODULE = /-data\.ts$/;

/** The source of a module as the source maps have it. */
export function sourceInMap(path: string, source: string): string {
  return DATA_MODULE.test(path) ? '' : withoutComments(source);
}
