import type { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  collectGarbage,
  each,
  megabytes,
  perSecond,
  seconds,
  sized,
  timed,
  type Bench,
  type Figure,
} from './bench.ts';
import { filledStore, PREFIX, PREFIX_END } from './engine-store.ts';

async function reads(
  store: EmbeddedKeyValueStore,
  keys: readonly string[],
  count: number,
): Promise<Figure[]> {
  const keyOf = (index: number): string => keys[(index * 7919) % keys.length] as string;
  const { revision } = await store.status();
  const page = async (past?: bigint): Promise<void> => {
    for (let read = 0; read < count; read += 1) {
      await store.range({ key: keyOf(read), rangeEnd: PREFIX_END, limit: 500, revision: past });
    }
  };
  const counting = async (): Promise<void> => {
    for (let read = 0; read < count; read += 1) {
      await store.range({ key: keyOf(read), rangeEnd: PREFIX_END, countOnly: true });
    }
  };
  const gets = async (): Promise<void> => {
    for (let read = 0; read < count * 10; read += 1) await store.range({ key: keyOf(read) });
  };
  return [
    each('range of 500', count, await timed(() => page())),
    each('range of 500 at the revision before', count, await timed(() => page(revision - 1n))),
    each('count of a range', count, await timed(counting)),
    each('get', count * 10, await timed(gets)),
    seconds(
      'range of everything',
      await timed(() => store.range({ key: PREFIX, rangeEnd: PREFIX_END })),
    ),
  ];
}

/** From the write to the last of 1,000 watchers of the prefix that has it. */
async function fanOut(
  store: EmbeddedKeyValueStore,
  key: string,
  watchers: number,
  events: number,
): Promise<Figure> {
  let missing = 0;
  let arrived = (): void => {};
  const readers = Array.from({ length: watchers }, async () => {
    for await (const batch of await store.watch({ key: PREFIX, rangeEnd: PREFIX_END })) {
      missing -= batch.length;
      if (missing === 0) arrived();
    }
  });
  await store.status();
  const value = Buffer.alloc(1024, 1);
  const tookMs = await timed(async () => {
    for (let event = 0; event < events; event += 1) {
      missing = watchers;
      const all = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await store.txn({ compare: [], success: [{ type: 'put', key, value }] });
      await all;
    }
  });
  await store.close();
  await Promise.all(readers);
  return each('one event to 1,000 watchers', events, tookMs);
}

export const bench: Bench = {
  title: '1,000,000 keys of 1 KB in one embedded engine: time, memory, reads, watchers',
  repeats: 3,
  run: async (size) => {
    const count = sized(size, { tiny: 1000, quick: 100_000, full: 1_000_000 });
    collectGarbage();
    const before = process.memoryUsage();
    const startedMs = performance.now();
    const { store, keys, putsMs } = await filledStore(count);
    const tookMs = performance.now() - startedMs;
    collectGarbage();
    const after = process.memoryUsage();
    const readCount = sized(size, { tiny: 5, quick: 1000, full: 2000 });
    const events = sized(size, { tiny: 2, quick: 100, full: 200 });
    return [
      seconds('filling, with the making of keys and values', tookMs),
      perSecond('puts', count, putsMs),
      megabytes('resident', after.rss),
      megabytes('values', after.arrayBuffers - before.arrayBuffers),
      megabytes('heap besides values', after.heapUsed - before.heapUsed),
      ...(await reads(store, keys, readCount)),
      await fanOut(
        store,
        keys[0] as string,
        sized(size, { tiny: 10, quick: 1000, full: 1000 }),
        events,
      ),
    ];
  },
};
