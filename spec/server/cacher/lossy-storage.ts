import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import type {
  StorageInterface,
  StorageWatch,
} from '../../../lib/server/storage/contract/storage-interface.ts';
import type { StoredObject } from '../../../lib/server/storage/contract/stored-object.ts';
import { overriding, type Pod } from './cacher-harness.ts';

/** The raw storage, whose watches keep back the changes of some keys: a cache that follows it goes wrong. */
export function losing(
  raw: StorageInterface<Pod>,
  keys: ReadonlySet<string>,
): StorageInterface<Pod> {
  const lost = (event: WatchEvent<StoredObject<Pod>>): boolean =>
    event.type !== 'BOOKMARK' && keys.has(event.object.key);
  return overriding(raw, {
    watch: async (key, options): Promise<StorageWatch<Pod>> => {
      const watch = await raw.watch(key, options);
      return {
        destroy: () => {
          watch.destroy();
        },
        async *[Symbol.asyncIterator]() {
          for await (const batch of watch) yield batch.filter((event) => !lost(event));
        },
      };
    },
  });
}
