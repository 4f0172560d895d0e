import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { collectGarbage, megabytes, seconds, sized, timed, type Bench } from './bench.ts';
import { filledStore } from './engine-store.ts';

/** The most memory that was resident while the work went on, over what was there before. */
async function peakOf(work: () => Promise<unknown>): Promise<{ tookMs: number; peak: number }> {
  collectGarbage();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const tookMs = await timed(work);
  clearInterval(timer);
  return { tookMs, peak: peak - before };
}

export const bench: Bench = {
  title: 'a snapshot of 1,000,000 keys of 1 KB: into a file, flushed to the disk, and back',
  repeats: 3,
  run: async (size) => {
    const count = sized(size, { tiny: 1000, quick: 100_000, full: 1_000_000 });
    const folder = await mkdtemp(join(tmpdir(), 'listwatch-bench-'));
    const path = join(folder, 'state.snapshot');
    try {
      const { store } = await filledStore(count);
      let bytes = 0;
      const save = await peakOf(async () => {
        ({ bytes } = await store.saveSnapshot(path));
      });
      await store.close();
      const startedMs = performance.now();
      const loaded = await EmbeddedKeyValueStore.load(path);
      const loadMs = performance.now() - startedMs;
      const found = (await loaded.range({ key: '', rangeEnd: '\u{10ffff}', countOnly: true }))
        .count;
      await loaded.close();
      if (found !== count) throw new Error(`${found} keys of ${count}`);
      return [
        seconds('save', save.tookMs),
        megabytes('memory that saving takes at most', save.peak),
        megabytes('file', bytes),
        seconds('load', loadMs),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
