/** Maximum number of keys that are remembered; the one whose failure is the oldest is forgotten first. */
const MOST_KEYS = 1000;
/** A message of a failure may be long. */
const LONGEST_REASON = 300;

export interface Failure {
  readonly reason: string | undefined;
  readonly atMs: number;
}

/** The keys that failed last, with their reasons. */
export class FailingKeys<K> {
  /** Made for the first failure; most controllers have none. */
  #failures: Map<K, Failure> | undefined;

  get size(): number {
    return this.#failures?.size ?? 0;
  }

  has(key: K): boolean {
    return this.#failures?.has(key) === true;
  }

  add(key: K, reason: string | undefined, atMs: number): void {
    const failures = (this.#failures ??= new Map());
    failures.delete(key);
    failures.set(key, { reason: reason?.slice(0, LONGEST_REASON), atMs });
    if (failures.size <= MOST_KEYS) return;
    for (const oldest of failures.keys()) {
      failures.delete(oldest);
      return;
    }
  }

  forget(key: K): void {
    this.#failures?.delete(key);
  }

  /** The latest failures first. */
  latest(limit: number): readonly (readonly [K, Failure])[] {
    return [...(this.#failures ?? [])].toReversed().slice(0, limit);
  }
}
