import { LRUCache } from 'lru-cache';
import { is } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { computeKey } from './compute-key.ts';

export interface ExpirationStoreOptions<V> {
  /** The time to live of an object after it was stored, whole milliseconds; 0 for ever. A function returns it for each object. */
  readonly ttlMs: number | ((object: V) => number);
  /** @defaultValue `metaNamespaceKeyFunc` */
  readonly keyFunc?: KeyFunc | undefined;
  /** The most objects; above it the least recently used object is removed. @defaultValue 10 000 */
  readonly capacity?: number | undefined;
  /** @defaultValue `realRuntime` */
  readonly runtime?: Runtime | undefined;
}

const TTL = is.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).required;
const CAPACITY = is.integer({ min: 1, max: 10_000_000 }).default(10_000);

/** An object that is about to be stored. */
interface Incoming<V> {
  readonly key: string;
  readonly object: V;
  readonly ttl: number;
}

/**
 * Objects by key that expire, for data that no watch keeps up to date. There are no timers: reads remove expired objects.
 *
 * Guarantees: an object is readable until its age is greater than its time to live. Storing an object again restarts its time.
 * @see client-go tools/cache/expiration_cache.go @ 32ce75a7
 */
export class ExpirationStore<V extends HasMetadata> {
  readonly #ttlOf: (object: V) => number;
  readonly #keyFunc: KeyFunc;
  readonly #runtime: Runtime;
  readonly #objects: LRUCache<string, V>;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ExpirationStoreOptions<V>) {
    const { ttlMs, keyFunc = metaNamespaceKeyFunc, runtime = realRuntime } = options;
    const owner = 'ExpirationStore';
    const checked = (value: number | undefined): number =>
      TTL.read(owner, 'ttlMs', value ?? Number.NaN);
    if (typeof ttlMs === 'function') {
      this.#ttlOf = (object) => checked(ttlMs(object));
    } else {
      const fixed = checked(ttlMs);
      this.#ttlOf = () => fixed;
    }
    this.#keyFunc = keyFunc;
    this.#runtime = runtime;
    const max = CAPACITY.read(owner, 'capacity', options.capacity);
    this.#objects = new LRUCache({ max, ttlResolution: 0, perf: { now: () => this.#nowMs() } });
  }

  /**
   * Stores an object, new or not.
   * @throws {KeyError} code KEY; {ListwatchError} code INVALID_OPTION for an invalid time to live.
   */
  add(object: V): void {
    this.#set(this.#prepare(object), this.#nowMs());
  }

  /** The same as `add`. */
  update(object: V): void {
    this.add(object);
  }

  /**
   * Removes the object with the key of `object`, if there is one.
   * @throws {KeyError} code KEY.
   */
  delete(object: V): void {
    this.#objects.delete(computeKey(this.#keyFunc, object));
  }

  /** Replaces the whole content in one step; the age of all objects starts now. If it throws, as `add` does, nothing changes. */
  replace(objects: Iterable<V>): void {
    const contents = Array.from(objects, (object) => this.#prepare(object));
    const now = this.#nowMs();
    this.#objects.clear();
    for (const incoming of contents) this.#set(incoming, now);
  }

  /** The object of this key, unless it has expired. */
  get(key: string): V | undefined {
    return this.#objects.get(key);
  }

  /** All objects that have not expired, in no promised order. */
  list(): V[] {
    this.#objects.purgeStale();
    return [...this.#objects.values()];
  }

  /** The keys of objects that have not expired, in no promised order. */
  keys(): string[] {
    return [...this.#objects.keys()];
  }

  /** The number of stored objects, including expired ones that have not been read. */
  get size(): number {
    return this.#objects.size;
  }

  #prepare(object: V): Incoming<V> {
    return { key: computeKey(this.#keyFunc, object), object, ttl: this.#ttlOf(object) };
  }

  #set({ key, object, ttl }: Incoming<V>, start: number): void {
    this.#objects.set(key, object, { ttl, start });
  }

  /** Never 0, which means "does not expire" to the LRU cache. */
  #nowMs(): number {
    return this.#runtime.monotonicMs() + 1;
  }
}
