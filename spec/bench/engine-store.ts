import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { timed } from './bench.ts';

export const PREFIX = '/registry/pods/';
/** The end of the prefix. */
export const PREFIX_END = '/registry/pods0';

/** Keys as an API server has them: long common beginnings, many namespaces, names with something random behind. */
export function podKeys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const suffix = ((index * 2_654_435_761) % 2 ** 32).toString(36);
    // Through bytes, so that the key is one flat piece, as one that came over the network is.
    return Buffer.from(`${PREFIX}ns-${index % 500}/pod-${suffix}-${index}`).toString('latin1');
  });
}

/** Different values of 1 KB, as they come of encoding JSON: out of node's pool. */
export function values(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => Buffer.allocUnsafe(1024).fill(index));
}

export async function putAll(
  store: EmbeddedKeyValueStore,
  keys: readonly string[],
  bytes: readonly Uint8Array[],
): Promise<void> {
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    const value = bytes[index % bytes.length] as Uint8Array;
    await store.txn({ compare: [], success: [{ type: 'put', key, value }] });
  }
}

export interface FilledStore {
  readonly store: EmbeddedKeyValueStore;
  readonly keys: readonly string[];
  /** The time of the writes, without the making of keys and values. */
  readonly putsMs: number;
}

/** A store with this many keys of 1 KB, each with a value of its own. */
export async function filledStore(count: number): Promise<FilledStore> {
  const store = new EmbeddedKeyValueStore();
  const keys = podKeys(count);
  let putsMs = 0;
  for (let from = 0; from < count; from += 10_000) {
    const some = keys.slice(from, from + 10_000);
    const bytes = values(some.length);
    putsMs += await timed(() => putAll(store, some, bytes));
  }
  return { store, keys, putsMs };
}
