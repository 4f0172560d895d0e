/** How servers begin an object; of other objects all bytes are searched. */
const HEAD = /^\{(?:"apiVersion":"[^"\\]*",)?"kind":"([^"\\]*)"/;
const HEAD_BYTES = 160;

/** The beginning of an object that names its kind; undefined if it begins otherwise. */
export function headOf(
  json: Buffer,
): { readonly bytes: Buffer; readonly kind: string } | undefined {
  const head = HEAD.exec(json.toString('latin1', 0, HEAD_BYTES));
  if (head === null) return undefined;
  const [text, kind = ''] = head;
  return { bytes: Buffer.from(text, 'latin1'), kind };
}

/** A loop, because a call of a method of Buffer costs more than the few bytes. */
export function beginsWith(bytes: Buffer, head: Buffer): boolean {
  if (bytes.length < head.length) return false;
  for (let index = 0; index < head.length; index += 1) {
    if (bytes[index] !== head[index]) return false;
  }
  return true;
}

/**
 * Whether objects of another resource may embed a Secret: its kind, and one of its fields, possibly within a text. An encoder escapes no
 * letter, so an object that has one is read.
 */
export function mayEmbedSecret(json: Buffer): boolean {
  if (hasEscapedLetter(json)) return true;
  // A search for a quote stops at each one: 3 µs for 3 KB, this one a tenth of it.
  if (!json.includes('Secret')) return false;
  return json.includes('"Secret') && (json.includes('"data') || json.includes('"stringData'));
}

/** The kind as a value, a field of Secrets, or an escaped letter; in any case, and possibly within a text. */
const WORDS = /:\s*\\*"\s*secret(?:list)?\s*\\*"|"(?:string)?data|\\u00[4-7]/i;

/** Whether an object of a resource that is not known has anything in it by which it could be a Secret. */
export function mayBeSecret(json: Buffer): boolean {
  return WORDS.test(json.toString('latin1'));
}

const ESCAPE = '\\u00';
const FIRST_LETTERS = 0x34;
const LAST_LETTERS = 0x37;

/** Whether a letter is written as an escape: servers escape marks and control characters alone. */
function hasEscapedLetter(json: Buffer): boolean {
  for (let at = json.indexOf(ESCAPE); at >= 0; at = json.indexOf(ESCAPE, at + 1)) {
    const digit = json[at + ESCAPE.length] ?? 0;
    if (digit >= FIRST_LETTERS && digit <= LAST_LETTERS) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** The number of fields in a text of JSON; each counts as often as it is written. */
export function fieldsWritten(json: Buffer): number {
  let fields = 0;
  let inText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) inText = !inText;
    else if (inText) {
      if (byte === BACKSLASH) index += 1;
    } else if (byte === COLON) fields += 1;
  }
  return fields;
}

/** The number of fields of a value. */
export function fieldsOf(value: unknown): number {
  const left: unknown[] = [value];
  let fields = 0;
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values = Object.values(next);
    if (!Array.isArray(next)) fields += values.length;
    for (const one of values) left.push(one);
  }
  return fields;
}
