import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import type { InspectedInformer } from '../contract/inspected-parts.ts';
import type { KeySearch } from '../contract/inspector-snapshot.ts';

/** Keys that are looked at between two turns of the event loop: some tenths of a millisecond. */
const SLICE = 5_000;
const MOST_SEARCHED = 1_000_000;
const MOST_RETURNED = 200;
/** `page-2` before `page-10`. */
const NATURAL = new Intl.Collator('en', { numeric: true });

export interface KeySearchOptions {
  readonly runtime: Runtime;
  /** Part of the keys that are wanted, in any case of letters. */
  readonly text: string;
  readonly signal: AbortSignal;
}

/** Finds keys of a cache, in slices. Awaits between them: the cache may change meanwhile. */
export async function searchKeys(
  { indexer }: InspectedInformer,
  { runtime, text, signal }: KeySearchOptions,
): Promise<KeySearch> {
  const wanted = text.toLowerCase();
  const all = indexer.keys();
  const keys: string[] = [];
  let [matched, searched] = [0, 0];
  for (const key of all) {
    if (searched === MOST_SEARCHED) break;
    searched += 1;
    if (key.toLowerCase().includes(wanted)) {
      matched += 1;
      if (keys.length < MOST_RETURNED) keys.push(key);
    }
    if (searched % SLICE === 0) {
      await nextTask(runtime);
      signal.throwIfAborted();
    }
  }
  return { total: all.length, matched, searched, keys: keys.toSorted(NATURAL.compare) };
}
