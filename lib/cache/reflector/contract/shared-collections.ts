/** The collections in memory that the informers of one client run on, by what their sources and options say. */
export class SharedCollections {
  readonly #running = new Map<string, Set<object>>();

  /** Those that run under a key. Their type follows from the key. */
  of<C extends object>(key: string): Iterable<C> {
    return (this.#running.get(key) ?? []) as Iterable<C>;
  }

  /** Others may join it under this key until it is disposed. */
  add(key: string, collection: object): Disposable {
    const running = this.#running.get(key) ?? new Set();
    this.#running.set(key, running.add(collection));
    return {
      [Symbol.dispose]: () => {
        running.delete(collection);
        if (running.size === 0 && this.#running.get(key) === running) this.#running.delete(key);
      },
    };
  }
}
