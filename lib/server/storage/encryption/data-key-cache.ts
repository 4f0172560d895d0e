import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** kube-apiserver's default cachesize. @see apiserver pkg/apis/apiserver/v1/defaults.go @ 24a394e */
export const CACHED_DATA_KEYS = 1000;

/** The SHA-256 of several parts, each counted, so that no two lists of parts look alike. */
export function hashOf(parts: readonly Uint8Array[]): string {
  const counted: Uint8Array[] = [];
  for (const part of parts) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(part.length);
    counted.push(length, part);
  }
  return hash('sha256', Buffer.concat(counted), 'base64');
}

/** Unwrapped data keys by the hash of their wrapped form, at most so many; the least recently used one goes first. */
export class DataKeyCache<K extends object> {
  readonly #kept: LRUCache<string, K> | undefined;
  /** Being unwrapped now; as many as there are reads at once. */
  readonly #coming = new Map<string, Promise<K>>();

  /** 0 keeps none. */
  constructor(size: number) {
    this.#kept = size > 0 ? new LRUCache({ max: size }) : undefined;
  }

  get(id: string): K | undefined {
    return this.#kept?.get(id);
  }

  keep(id: string, key: K): void {
    this.#kept?.set(id, key);
  }

  /** The key, unwrapped by `unwrap` unless it is known or being unwrapped. Failures are not remembered. */
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
