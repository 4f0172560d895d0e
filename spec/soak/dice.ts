import { seededRandom } from '../../lib/kernel/time/random.ts';

/** Random choices of one actor. Every actor has dice of its own, so that one who is left out changes no other's luck. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: string) {
    this.#random = seededRandom(seed);
  }

  /** In [0, 1). */
  next(): number {
    return this.#random();
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A whole number, both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  weighted<T>(table: readonly (readonly [weight: number, value: T])[]): T {
    const total = table.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#random() * total;
    for (const [weight, value] of table) {
      left -= weight;
      if (left < 0) return value;
    }
    return (table.at(-1) as readonly [number, T])[1];
  }

  shuffled<T>(items: readonly T[]): T[] {
    const mixed = [...items];
    for (let last = mixed.length - 1; last > 0; last -= 1) {
      const other = this.int(0, last);
      [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
    }
    return mixed;
  }
}
