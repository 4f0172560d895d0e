import { prefixEnd } from '../../mvcc/contract/key-value-store.ts';
import { prepareKey } from '../../storage/contract/storage-keys.ts';

/** The keys of a list or watch: one key, or all keys with a prefix. */
export interface KeyScope {
  /** A key, or a prefix that ends with a slash, so that `/ns-1/` does not include `/ns-10/`. */
  readonly path: string;
  readonly recursive: boolean;
}

/** The scope of a call for `key`. @throws {StorageError} INVALID_KEY. */
export function keyScope(resourcePrefix: string, key: string, recursive: boolean): KeyScope {
  return { path: prepareKey(resourcePrefix, key, recursive), recursive };
}

export function scopeContains({ path, recursive }: KeyScope, key: string): boolean {
  return recursive ? key.startsWith(path) : key === path;
}

/** The first key after the scope. */
export function scopeEnd({ path, recursive }: KeyScope): string {
  return recursive ? prefixEnd(path) : `${path}\0`;
}
