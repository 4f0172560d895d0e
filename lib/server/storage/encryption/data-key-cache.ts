import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** kube-apiserver's default cachesize. @see apiserver pkg/apis/apiserver/v1/defaults.go @ 24a394e */
export const CACHED_DATA_KEYS = 1000;

/** The SHA-256 of several parts. The length of each part is included, so that different lists never have the same input. */
export function hashOf(parts: readonly Uint8Array[]): string {
  const counted: Uint8Array[] = [];
  for (const part of parts) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(part.length);
    counted.push(length, part);
  }
  return hash('sha256', Buffer.concat(counted), 'base64');
}

/** Unwrapped data keys by the hash of their wrapped form. The number is limited; the least recently used one is dropped first. */
export class DataKeyCache<K extends object> {
  readonly #kept: LRUCache<string, K> | undefined;
  /** Keys that are being unwrapped; their number is limited by that of concurrent reads. */
  readonly #coming = new Map<string, Promise<K>>();

  /** With size 0, no key is kept. */
  constructor(size: number) {
    this.#kept = size > 0 ? new LRUCache({ max: size }) : undefined;
  }

  get(id: string): K | undefined {
    return this.#kept?.get(id);
  }

  keep(id: string, key: K): void {
    this.#kept?.set(id, key);
  }

  /** The key, from the cache, from an unwrapping that is in progress, or from `unwrap`. Failures are not cached. */
  load(id: string, unwrap: () => Promise<K>): Promise<K> {
    let coming = this.#coming.get(id);
    if (coming === undefined) {
      coming = this.#fill(id, unwrap);
      this.#coming.set(id, coming);
    }
    return coming;
  }

  async #fill(id: string, unwrap: () => Promise<K>): Promise<K> {
    try {
      const key = await unwrap();
      this.keep(id, key);
      return key;
    } finally {
      this.#coming.delete(id);
    }
  }
}
