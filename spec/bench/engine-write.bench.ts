import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { perSecond, sized, timed, type Bench } from './bench.ts';
import { podKeys, putAll, values } from './engine-store.ts';

async function compareAndSwap(
  store: EmbeddedKeyValueStore,
  keys: readonly string[],
): Promise<void> {
  const value = Buffer.alloc(1024, 1);
  for (const key of keys) {
    const [kv] = (await store.range({ key })).items;
    const { succeeded } = await store.txn({
      compare: [{ key, target: 'modRevision', operator: '=', operand: kv?.modRevision ?? 0n }],
      success: [{ type: 'put', key, value }],
      failure: [{ type: 'range', key }],
    });
    if (!succeeded) throw new Error('no other writer');
  }
}

/** The values are the caller's and made before: what is measured is the engine. */
export const bench: Bench = {
  title: 'writes of 1 KB to the embedded engine, one transaction each, one after the other',
  run: async (size) => {
    const count = sized(size, { tiny: 100, quick: 50_000, full: 200_000 });
    const keys = podKeys(count);
    const bytes = values(64);
    const store = new EmbeddedKeyValueStore();
    const freshMs = await timed(() => putAll(store, keys, bytes));
    const againMs = await timed(() => putAll(store, keys, bytes));
    const swapMs = await timed(() => compareAndSwap(store, keys));
    await store.close();
    return [
      perSecond('puts of new keys', count, freshMs),
      perSecond('puts of existing keys', count, againMs),
      perSecond('compare and swap (get, then txn)', count, swapMs),
    ];
  },
};
