import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { perSecond, sized, timed, type Bench, type Figure } from './bench.ts';
import { podKeys, PREFIX, PREFIX_END, putAll, values } from './engine-store.ts';

/** Writes as fast as it goes, and waits until every watcher has everything. */
async function follow(name: string, watchers: number, writes: number): Promise<Figure[]> {
  const store = new EmbeddedKeyValueStore();
  const keys = podKeys(writes);
  const bytes = values(64);
  const readers: Promise<void>[] = [];
  for (let index = 0; index < watchers; index += 1) {
    const watch = await store.watch({ key: PREFIX, rangeEnd: PREFIX_END, previous: true });
    readers.push(
      (async () => {
        let seen = 0;
        for await (const batch of watch) {
          seen += batch.length;
          if (seen === writes) break;
        }
        if (seen !== writes) throw new Error(`${seen} events of ${writes}`);
      })(),
    );
  }
  const tookMs = await timed(async () => {
    await putAll(store, keys, bytes);
    await Promise.all(readers);
  });
  await store.close();
  return [
    perSecond(`writes, ${name}`, writes, tookMs),
    perSecond(`deliveries, ${name}`, writes * watchers, tookMs),
  ];
}

export const bench: Bench = {
  title: 'writes of 1 KB to the embedded engine while one prefix is watched',
  run: async (size) => [
    ...(await follow('1 watcher', 1, sized(size, { tiny: 50, quick: 50_000, full: 200_000 }))),
    ...(await follow('1,000 watchers', 1000, sized(size, { tiny: 5, quick: 500, full: 2000 }))),
  ],
};
