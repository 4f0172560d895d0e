import type { FieldCause } from '../../../meta/failure/failures.ts';

/** Maximum number of causes: a hostile object may break a rule in every field. */
const MOST_CAUSES = 1000;

/**
 * The problems of a value, each text once, and how many rules it followed: of several schemas the one with the most is the
 * one whose causes are reported.
 */
export class SchemaFindings {
  readonly causes: FieldCause[] = [];
  readonly #texts: string[] = [];
  readonly #seen = new Set<string>();
  matches: number = 0;

  get isFull(): boolean {
    return this.causes.length >= MOST_CAUSES;
  }

  add(text: string, cause: FieldCause): void {
    if (this.isFull || this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#texts.push(text);
    this.causes.push(cause);
  }

  merge(other: SchemaFindings): void {
    for (const [index, cause] of other.causes.entries())
      this.add(other.#texts[index] as string, cause);
    this.matches += other.matches;
  }

  /** Forgets the causes that were found after there were so many. */
  keepFirst(count: number): void {
    this.causes.length = count;
    for (const text of this.#texts.splice(count)) this.#seen.delete(text);
  }
}
