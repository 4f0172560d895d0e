import type { Deliveries } from './contestants/contestant.ts';

/** The state to which the calls of a handler add up. */
export class View {
  readonly #deliveries: Deliveries;
  readonly #present = new Map<string, string>();
  #taken = 0;

  constructor(deliveries: Deliveries) {
    this.#deliveries = deliveries;
  }

  /** Resource versions by key, as of the last call so far. */
  present(): ReadonlyMap<string, string> {
    const { notified } = this.#deliveries;
    for (; this.#taken < notified.length; this.#taken += 1) {
      const { type, key, resourceVersion } = notified[this.#taken]!;
      if (type === 'delete') this.#present.delete(key);
      else this.#present.set(key, resourceVersion);
    }
    return this.#present;
  }
}
