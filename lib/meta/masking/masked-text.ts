import { HiddenTexts } from '../../kernel/text/hidden-texts.ts';
import { MaskedCopy } from './masked-values.ts';

const HIDDEN = '[hidden]';

/** A body that a server cannot read, as text or as hexadecimal digits, and the bytes around a mistake in it; both are last. */
const BODY = /( \(| of \.\.\.\|)(?:(?<=\|)|[[{"]|[0-9a-f]{8}).*$/s;
/** A quoted text, which may have been cut; the words before some of them say that they are names. */
const QUOTED =
  /(\b(?:user|webhook|field|conflict with) )?(?:"((?:[^"\\]|\\.)*)(?:"|\\?$)|`[^`]*(?:`|$)|(?<!\w)'[^']{2,}'(?!\w))/gis;
/** A value without quotes, up to the rule that it breaks or the next field; a number of the wrong type. */
const UNQUOTED =
  /\b(value: )(?!\[hidden\])\S.*?(?=: |, [\w.[\]]+: |\]?$)|\b(number )-?\d[\w.+-]*/gs;
const BASE64 = /^[\w+/-]+={0,2}$/;

/** Hides values of Secrets in texts about one request. */
export class TextMask {
  readonly #names: ReadonlySet<string>;
  readonly #sent: readonly HiddenTexts[];

  /**
   * @param names quoted texts that stay.
   * @param sent the body of the request, an object or a patch; its values are hidden without quotes, too.
   */
  constructor(names: Iterable<string>, sent: unknown) {
    this.#names = new Set(names);
    this.#sent = [...textsOf(sent)].map((text) => {
      const hidden = new HiddenTexts();
      hidden.add(text);
      return hidden;
    });
  }

  /** Without anything that may be a value: of quoted texts, names stay. */
  apply(text: string): string {
    const unsent = this.#sent.reduce((shown, hidden) => hidden.hide(shown), text);
    return unsent
      .replace(BODY, `$1${HIDDEN}`)
      .replaceAll(QUOTED, (quoted: string, naming: string | undefined, name?: string) =>
        naming !== undefined || this.#names.has(name ?? '\0') ? quoted : HIDDEN,
      )
      .replaceAll(UNQUOTED, `$1$2${HIDDEN}`);
  }
}

/** The values of a Secret, or of a patch of one: base64 decoded as well. Longer ones are first, as one may contain another. */
function textsOf(sent: unknown): Set<string> {
  const texts: string[] = [];
  const collect = (value: unknown): void => addTexts(texts, value);
  const mask = new MaskedCopy({ replacement: { data: collect, other: collect } });
  if (Array.isArray(sent)) collect(sent.map((step: unknown) => Object(step).value as unknown));
  else if (sent !== undefined) mask.secret(sent);
  return new Set(texts.toSorted((one, other) => other.length - one.length));
}

function addTexts(texts: string[], value: unknown): void {
  if (typeof value === 'string') {
    texts.push(value);
    if (BASE64.test(value)) texts.push(Buffer.from(value, 'base64').toString('utf8'));
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) addTexts(texts, one);
  }
}
