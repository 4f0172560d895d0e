/** In place of a text that is hidden. */
const HIDDEN = '[hidden]';
/** A shorter text is found in words that are no secret. */
const SHORTEST = 4;
/** Base64 has four characters for three bytes, so a text inside another one begins at one of three places. */
const BASE64_PLACES = [0, 1, 2];
const MOST_KEPT = 16;

/**
 * Texts that are hidden in texts from elsewhere, as they are and in the forms in which programs repeat them: base64, also as a part of a
 * longer text, percent-encoded, and escaped as in JSON. Printing it shows none of them.
 */
export class HiddenTexts {
  // `inspect` does not show private fields.
  #texts: readonly string[] = [];
  #forms: readonly string[] = [];

  /** The oldest are left out when there are many; a text that is shorter than four characters is. */
  add(text: string | undefined): void {
    if (text === undefined || text.length < SHORTEST || this.#texts.includes(text)) return;
    this.#texts = [...this.#texts, text].slice(-MOST_KEPT);
    const forms = new Set(this.#texts.flatMap(formsOf));
    // A text may contain another one.
    this.#forms = [...forms].toSorted((one, other) => other.length - one.length);
  }

  hide(text: string): string {
    let shown = text;
    for (const form of this.#forms) {
      if (shown.includes(form)) shown = shown.replaceAll(form, HIDDEN);
    }
    return shown;
  }
}

function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [
    text,
    encodeURIComponent(bytes.toString('utf8')),
    JSON.stringify(text).slice(1, -1),
  ];
  for (const place of BASE64_PLACES) {
    const padded = Buffer.concat([Buffer.alloc(place), bytes]);
    // The characters at the ends are made of bytes that are not in the text, too.
    const from = place === 0 ? 0 : place + 1;
    const whole = Math.floor((padded.length * 8) / 6);
    for (const encoding of ['base64', 'base64url'] as const) {
      const form = padded.toString(encoding).slice(from, whole);
      if (form.length >= SHORTEST) forms.push(form);
    }
  }
  return forms;
}
