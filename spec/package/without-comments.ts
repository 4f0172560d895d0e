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
