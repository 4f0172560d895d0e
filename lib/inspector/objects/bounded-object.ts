const LONGEST_TEXT = 4_000;
const DEEPEST = 60;

export interface Bounded {
  readonly value: unknown;
  /** Characters and items that were left out, in words; undefined when nothing was. */
  readonly note: string | undefined;
}

/**
 * A copy of a value that has at most about `budget` characters: long texts are cut, and what comes after the budget is left out. The
 * work is bounded too, whatever the size of the value.
 */
export function boundedObject(value: unknown, budget: number): Bounded {
  const bound = new Bound(budget);
  const copy = bound.copy(value, 0);
  const parts: string[] = [];
  if (bound.cutTexts > 0) {
    parts.push(`${bound.cutTexts} long texts are cut, by ${bound.cutCharacters} characters`);
  }
  if (bound.leftOut > 0) parts.push(`${bound.leftOut} fields and items are left out`);
  return { value: copy, note: parts.length === 0 ? undefined : parts.join('; ') };
}

class Bound {
  cutTexts = 0;
  cutCharacters = 0;
  leftOut = 0;
  #left: number;

  constructor(budget: number) {
    this.#left = budget;
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    this.#left -= 8;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) {
      this.leftOut += 1;
      return '…';
    }
    return Array.isArray(value) ? this.#items(value, depth) : this.#fields(value, depth);
  }

  #text(text: string): string {
    const room = Math.min(LONGEST_TEXT, Math.max(0, this.#left));
    this.#left -= Math.min(text.length, room) + 2;
    if (text.length <= room) return text;
    this.cutTexts += 1;
    this.cutCharacters += text.length - room;
    return `${text.slice(0, room)}… (${text.length - room} more characters)`;
  }

  #items(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) break;
      copy.push(this.copy(item, depth + 1));
    }
    this.leftOut += items.length - copy.length;
    return copy;
  }

  #fields(fields: object, depth: number): object {
    const copy = Object.create(null) as Record<string, unknown>;
    const names = Object.keys(fields);
    let kept = 0;
    for (const name of names) {
      if (this.#left <= 0) break;
      this.#left -= name.length + 4;
      copy[name] = this.copy((fields as Record<string, unknown>)[name], depth + 1);
      kept += 1;
    }
    this.leftOut += names.length - kept;
    return copy;
  }
}
