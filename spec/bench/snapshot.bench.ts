import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  collectGarbage,
  megabytes,
  seconds,
  sized,
  timed,
  type Bench,
  type Figure,
} from './bench.ts';
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

/** In a function of its own, so that nothing of the store is left when the snapshot is loaded. */
async function save(path: string, count: number): Promise<Figure[]> {
  const { store } = await filledStore(count);
  let bytes = 0;
  const { tookMs, peak } = await peakOf(async () => {
    ({ bytes } = await store.saveSnapshot(path));
  });
  await store.close();
  return [
    seconds('save', tookMs),
    megabytes('memory that saving takes at most', peak),
    megabytes('file', bytes),
  ];
}

async function load(path: string, count: number): Promise<Figure> {
  collectGarbage();
  const startedMs = performance.now();
  const store = await EmbeddedKeyValueStore.load(path);
  const tookMs = performance.now() - startedMs;
  const everything = { key: '', rangeEnd: '\u{10ffff}', countOnly: true } as const;
  const found = (await store.range(everything)).count;
  await store.close();
  if (found !== count) throw new Error(`${found} keys of ${count}`);
  return seconds('load', tookMs);
}

export const bench: Bench = {
  title: 'a snapshot of 1,000,000 keys of 1 KB: into a file, flushed to the disk, and back',
  repeats: 3,
  run: async (size) => {
    const count = sized(size, { tiny: 1000, quick: 100_000, full: 1_000_000 });
    const folder = await mkdtemp(join(tmpdir(), 'listwatch-bench-'));
    try {
      const path = join(folder, 'state.snapshot');
      return [...(await save(path, count)), await load(path, count)];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
