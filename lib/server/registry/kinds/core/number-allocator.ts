/** Assigns whole numbers of a range, each to one owner. The first number that is tried depends only on the owner's name. */
export class NumberAllocator {
  readonly #low: number;
  readonly #size: number;
  readonly #owners = new Map<number, string>();

  constructor({ low, high }: { readonly low: number; readonly high: number }) {
    this.#low = low;
    this.#size = high - low + 1;
  }

  includes(value: number): boolean {
    return value >= this.#low && value < this.#low + this.#size;
  }

  /** Assigns a given number; false when it belongs to another object. */
  claim(value: number, owner: string): boolean {
    const present = this.#owners.get(value);
    if (present !== undefined && present !== owner) return false;
    this.#owners.set(value, owner);
    return true;
  }

  /** Assigns the next free number; undefined when all are taken. */
  allocate(owner: string): number | undefined {
    if (this.#owners.size >= this.#size) return undefined;
    let offset = hash(owner) % this.#size;
    while (this.#owners.has(this.#low + offset)) offset = (offset + 1) % this.#size;
    this.#owners.set(this.#low + offset, owner);
    return this.#low + offset;
  }

  /** Releases all numbers. */
  clear(): void {
    this.#owners.clear();
  }

  /** Releases a number; no effect when it belongs to another object. */
  release(value: number, owner: string): void {
    if (this.#owners.get(value) === owner) this.#owners.delete(value);
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let word = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
  }
  return word >>> 0;
}
