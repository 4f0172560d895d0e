import { inspect } from 'node:util';

/** Depth of what is printed of an object. */
const DEPTH = 10;

/** Secrets that no output may have, from any program. */
const ALWAYS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /BEGIN [A-Z ]*PRIVATE KEY/],
  ['a bearer token', /\bBearer [\w+/=.~-]{8,}/i],
  ['a JSON web token', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}/],
];

/** Shorter texts are part of others by chance. */
const SHORTEST = 8;

/** The secrets of a spec, and the search for them in everything that was printed. */
export class Canaries {
  /** The text to search for, with the name of its secret. */
  readonly #needles = new Map<string, string>();
  /** The searched texts, as proof that there were some. */
  searched = 0;

  get count(): number {
    return this.#needles.size;
  }

  /** A token or a password, also in the forms in which it travels. */
  add(name: string, secret: string): void {
    const forms = [
      secret,
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ];
    for (const form of forms) if (form.length >= SHORTEST) this.#needles.set(form, name);
  }

  /** A private key: every line of its text, and its text in base64. */
  addKey(name: string, pem: string): void {
    const lines = pem.split('\n').filter((line) => !line.startsWith('-----'));
    // The first line of all keys on one curve is the same, but for its end.
    for (const line of lines) if (line.length >= SHORTEST) this.#needles.set(line, name);
    this.#needles.set(Buffer.from(pem).toString('base64').slice(64, 128), name);
  }

  /** The names of the secrets that a value shows when it is printed in any of the usual ways. */
  shownBy(value: unknown): string[] {
    return this.foundIn(printed(value));
  }

  foundIn(text: string): string[] {
    this.searched += text.length;
    const found = new Set<string>();
    for (const [needle, name] of this.#needles) if (text.includes(needle)) found.add(name);
    for (const [name, pattern] of ALWAYS) if (pattern.test(text)) found.add(name);
    if (hasBasicCredential(text)) found.add('a basic credential');
    return [...found];
  }
}

/** A user name and a password in base64, and not the word "Basic" in a sentence. */
function hasBasicCredential(text: string): boolean {
  const matches = text.matchAll(/\bBasic ([\w+/=]{8,})/g);
  return [...matches].some(([, encoded = '']) =>
    /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(encoded, 'base64').toString('latin1')),
  );
}

function printed(value: unknown): string {
  const texts = [
    inspect(value, { depth: DEPTH, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    jsonOf(value),
    String(value),
  ];
  if (value instanceof Error) texts.push(value.stack ?? '', printed(value.cause));
  return texts.join('\n');
}

function jsonOf(value: unknown): string {
  const seen = new WeakSet<object>();
  const once = (_name: string, inner: unknown): unknown => {
    if (typeof inner === 'bigint') return inner.toString();
    if (typeof inner !== 'object' || inner === null) return inner;
    if (seen.has(inner)) return '[again]';
    seen.add(inner);
    return inner;
  };
  return JSON.stringify(value, once) ?? '';
}
