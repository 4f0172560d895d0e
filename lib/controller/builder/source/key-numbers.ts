/**
 * Gives each object of an informer a number, by which the queues of its controllers find the key without a search in a table of their own.
 * A number is given again when its object has gone. Memory: one entry for each object that has changed and still exists.
 */
export class KeyNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];

  of(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }

  release(key: string): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    this.#numbers.delete(key);
    this.#free.push(number);
  }
}
