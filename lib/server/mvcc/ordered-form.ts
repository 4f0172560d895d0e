const OUT_OF_ORDER = /[\ud800-\uffff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text can be written in UTF-8: it has no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  // The first test costs next to nothing for the texts of one byte a character that nearly all keys are.
  return !OUT_OF_ORDER.test(text) || !LONE_SURROGATE.test(text);
}

/**
 * A text whose JavaScript order is the UTF-8 byte order of `key`; `key` itself for nearly all keys.
 *
 * JavaScript compares UTF-16 units, where surrogates (U+10000 and up) sort below U+E000 to U+FFFF; in UTF-8 they sort above.
 * Swapping the two blocks makes both orders one.
 */
export function orderedForm(key: string): string {
  if (!OUT_OF_ORDER.test(key)) return key;
  let form = '';
  for (let index = 0; index < key.length; index += 1) {
    const unit = key.charCodeAt(index);
    if (unit < 0xd800) form += key[index];
    else form += String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
  }
  return form;
}
