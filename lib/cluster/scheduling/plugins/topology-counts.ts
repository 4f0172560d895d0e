import type { Labels } from '../../../meta/selectors/label-selector.ts';

/** Numbers by the value of a label, for several labels. */
export class TopologyCounts {
  readonly #counts: Map<string, Map<string, number>>;

  constructor(counts: Map<string, Map<string, number>> = new Map()) {
    this.#counts = counts;
  }

  get empty(): boolean {
    return this.#counts.size === 0;
  }

  copy(): TopologyCounts {
    return new TopologyCounts(new Map(Array.from(this.#counts, ([key, of]) => [key, new Map(of)])));
  }

  /** Counts for a node; one without the label does not count. */
  add(labels: Labels, key: string, by: number): void {
    const value = labels?.[key];
    if (value === undefined) return;
    const counts = this.#counts.get(key) ?? new Map<string, number>();
    const count = (counts.get(value) ?? 0) + by;
    if (count === 0) counts.delete(value);
    else counts.set(value, count);
    if (counts.size > 0) this.#counts.set(key, counts);
    else this.#counts.delete(key);
  }

  /** The number at the node for one label. */
  at(labels: Labels, key: string): number {
    const value = labels?.[key];
    return value === undefined ? 0 : (this.#counts.get(key)?.get(value) ?? 0);
  }

  /** The sum of the numbers at the node for all labels. */
  sum(labels: Labels): number {
    let sum = 0;
    for (const key of this.#counts.keys()) sum += this.at(labels, key);
    return sum;
  }
}
