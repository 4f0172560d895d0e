import assert from 'node:assert/strict';
import { conformanceKey } from './conformance-pod.ts';
import type { ConformanceCase, StorageUnderTest } from './storage-under-test.ts';
import { StorageWatchProbe } from './storage-watch-probe.ts';

/** Duration of the watches of these cases, milliseconds. */
const TIMEOUT_MS = 3000;

/** A watch of one pod that ends after three seconds, while another pod is written. */
async function watchBriefly(
  under: StorageUnderTest,
  progressNotify: boolean,
): Promise<StorageWatchProbe> {
  const { resourceVersion } = await under.create('a/x');
  const watch = await under.storage.watch(conformanceKey('a/x'), {
    resourceVersion,
    recursive: false,
    progressNotify,
    deadlineMonotonicMs: under.harness.runtime.monotonicMs() + TIMEOUT_MS,
  });
  await under.create('b/x');
  return new StorageWatchProbe(watch, under.harness.runtime);
}

export const bookmarkCases: readonly ConformanceCase[] = [
  {
    title: 'sends a watch a bookmark before its time is over',
    upstream: ['RunTestWatchDispatchBookmarkEvents'],
    only: 'cached',
    check: async (under) => {
      const watch = await watchBriefly(under, true);
      const { resourceVersion, initialEventsEnd } = await watch.bookmark();
      assert.equal(initialEventsEnd, false);
      const { items } = await under.storage.getList(conformanceKey('b/'));
      assert(BigInt(resourceVersion) >= BigInt(items[0]?.resourceVersion ?? ''));
    },
  },
  {
    title: 'sends no bookmark to a watch that did not ask for any',
    upstream: ['RunTestWatchDispatchBookmarkEvents'],
    check: async (under) => {
      const watch = await watchBriefly(under, false);
      await assert.rejects(watch.next(TIMEOUT_MS), { code: 'TIMEOUT' });
    },
  },
  {
    title: 'sends bookmarks that never fall behind what was sent before',
    upstream: ['RunTestOptionalWatchBookmarksWithCorrectResourceVersion'],
    only: 'cached',
    check: async (under) => {
      const { runtime } = under.harness;
      const deadlineMonotonicMs = runtime.monotonicMs() + TIMEOUT_MS;
      const watch = await under.storage.watch(conformanceKey('a'), {
        resourceVersion: await under.storage.getCurrentResourceVersion(),
        progressNotify: true,
        deadlineMonotonicMs,
      });
      const probe = new StorageWatchProbe(watch, runtime);
      const writes = (async () => {
        for (let index = 0; index < 100; index += 1) {
          await under.create(`a/${index}`);
          await under.sleep(10);
        }
      })();
      let seen = 0n;
      let [events, bookmarks] = [0, 0];
      while (events < 100 || bookmarks === 0) {
        const event = await probe.next();
        assert(event !== undefined, 'the watch goes on');
        if (event.type === 'BOOKMARK') {
          bookmarks += 1;
          assert(BigInt(event.resourceVersion) >= seen, 'a bookmark is not older than an event');
          seen = BigInt(event.resourceVersion);
        } else {
          events += 1;
          assert(BigInt(event.object.resourceVersion) > seen, 'an event is newer than all before');
          seen = BigInt(event.object.resourceVersion);
        }
      }
      await writes;
      watch.destroy();
    },
  },
];
