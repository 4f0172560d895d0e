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
  readonly #ranks = new Map<string, number>();

  /** @param text `PATH=REASONS …`: paths in the order of the fields, a letter for each reason. */
  constructor(text: string) {
    for (const rule of text.split(' ')) {
      const [path = '', letters = ''] = rule.split('=');
      this.#letters.set(path, letters);
      let prefix = '';
      for (const step of stepsOf(path)) {
        prefix += step;
        if (!this.#ranks.has(prefix)) this.#ranks.set(prefix, this.#ranks.size);
      }
    }
  }

  has({ field, reason, message }: FieldCause): boolean {
    const letters = this.#letters.get(anyItem(field)) ?? '';
    return letters
      .split('')
      .some((letter) => REASONS[letter] === reason || WORDS[letter]?.test(message));
  }

  /** For sorting: by the order of the fields, items by their index. */
  compare({ field: one }: FieldCause, { field: other }: FieldCause): number {
    const [left, right] = [stepsOf(one), stepsOf(other)];
    const at = left.findIndex((step, index) => step !== right[index]);
    if (at < 0 || right[at] === undefined) return left.length - right.length;
    const a = left[at] ?? '';
    const b = right[at];
    if (a.startsWith('[') && b.startsWith('[')) return indexOf(a) - indexOf(b);
    const before = anyItem(left.slice(0, at).join(''));
    return this.#rank(before + a) - this.#rank(before + b);
  }

  #rank(path: string): number {
    return this.#ranks.get(path) ?? this.#ranks.size;
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
