import type { FieldCause } from '../../../meta/failure/failures.ts';

const REASONS: Readonly<Record<string, FieldCause['reason']>> = {
  r: 'FieldValueRequired',
  f: 'FieldValueForbidden',
  i: 'FieldValueInvalid',
  n: 'FieldValueNotSupported',
  d: 'FieldValueDuplicate',
  m: 'FieldValueTooMany',
  l: 'FieldValueTooLong',
};

/** Rules of fields that are invalid in other ways too. */
const WORDS: Readonly<Record<string, RegExp>> = {
  u: /field is immutable$/,
  g: /must be greater than or equal to \d+$/,
};

/**
 * The rules that are declared with the type of a kind: their causes follow those of the rules that are written in Go, in the order of the
 * fields.
 */
export class DeclaredRules {
  readonly #letters = new Map<string, string>();
  readonly #places = new Map<string, number>();

  /** @param text `PATH=REASONS …`: in the order in which kube-apiserver looks at them, a letter for each reason. */
  constructor(text: string) {
    for (const rule of text.split(' ')) {
      const [path = '', letters = ''] = rule.split('=');
      this.#letters.set(path, letters);
      this.#places.set(path, this.#places.size);
    }
  }

  has({ field, reason, message }: FieldCause): boolean {
    const letters = this.#letters.get(anyItem(field)) ?? '';
    return letters
      .split('')
      .some((letter) => REASONS[letter] === reason || WORDS[letter]?.test(message));
  }

  /** For sorting: items by their index, fields of one item by the order of the rules. */
  compare({ field: one }: FieldCause, { field: other }: FieldCause): number {
    const [left, right] = [stepsOf(one), stepsOf(other)];
    const at = left.findIndex((step, index) => step !== right[index]);
    const [a, b] = [left[at], right[at]];
    if (a?.startsWith('[') && b?.startsWith('[')) return indexOf(a) - indexOf(b);
    return this.#placeOf(one) - this.#placeOf(other);
  }

  #placeOf(field: string): number {
    return this.#places.get(anyItem(field)) ?? this.#places.size;
  }
}

/** A path with `[*]` for each index and key. */
export function anyItem(path: string): string {
  return path.replaceAll(/\[[^\]]*\]/g, '[*]');
}

function stepsOf(path: string): readonly string[] {
  return path.match(/\.?[^.[]+|\[[^\]]*\]/g) ?? [];
}

function indexOf(step: string): number {
  const index = Number(step.slice(1, -1));
  return Number.isNaN(index) ? 0 : index;
}
