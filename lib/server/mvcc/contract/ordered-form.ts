const OUT_OF_ORDER = /[\ud800-\uffff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text has a UTF-8 form, that is, no unpaired surrogate. */
export function isWellFormed(text: string): boolean {
  // The first test is cheap for ASCII texts, and nearly all keys are ASCII.
  return !OUT_OF_ORDER.test(text) || !LONE_SURROGATE.test(text);
}

/**
 * A text whose JavaScript order equals the UTF-8 byte order of `key`. For nearly all keys it is `key` itself.
 *
 * JavaScript compares UTF-16 units, in which surrogates (U+10000 and up) sort below U+E000 to U+FFFF. In UTF-8 they sort above.
 * Swapping the two blocks makes both orders equal.
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
