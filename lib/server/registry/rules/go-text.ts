import { GO_ESCAPES } from '../../../kernel/text/go-escapes.ts';

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** A text that JSON and Go quote alike. */
const PLAIN = /^[ !#-[\]-~]*$/;

const ESCAPES: Readonly<Record<string, string>> = { ...GO_ESCAPES, '"': '\\"' };

/** A text as Go's `%q` prints it. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '';
  for (const one of text) quoted += ESCAPES[one] ?? (PRINTABLE.test(one) ? one : escaped(one));
  return `"${quoted}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) as number;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x1_00_00 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** JSON as Go's `encoding/json` writes it, with characters of HTML escaped, and indented if asked for. */
export function goJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export function listOfTexts(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}

/** A list of texts as Go's `%#v` prints it. */
export function goSyntax(texts: readonly string[]): string {
  return `[]string{${texts.map(goQuote).join(', ')}}`;
}

/** The characters that Go does not print, by code and by place in bytes. */
export function nonPrintable(text: string): { readonly code: string; readonly position: number }[] {
  if (/^[ -~]*$/.test(text)) return [];
  const found: { code: string; position: number }[] = [];
  let position = 0;
  for (const one of text) {
    if (!PRINTABLE.test(one)) {
      const hex = (one.codePointAt(0) as number).toString(16).toUpperCase();
      found.push({ code: `U+${hex.padStart(4, '0')}`, position });
    }
    position += Buffer.byteLength(one);
  }
  return found;
}
