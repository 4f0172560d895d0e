import type { WatchStream } from '../../cache/reflector/contract/lister-watcher.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { StorageWatch } from '../storage/contract/storage-interface.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';

/** The watch, but it ends at its timeout, as a server ends it. */
export function closedAfter<T extends KubernetesObject>(
  runtime: Runtime,
  timeoutMs: number,
  watch: StorageWatch<T>,
): WatchStream<StoredObject<T>> {
  const timer = runtime.setTimer(
    timeoutMs,
    () => {
      watch.destroy();
    },
    { background: true },
  );
  type Batch = readonly WatchEvent<StoredObject<T>>[];
  return {
    [Symbol.asyncIterator]: (): AsyncIterator<Batch, undefined> => {
      const source = watch[Symbol.asyncIterator]();
      return {
        next: async (): Promise<IteratorResult<Batch, undefined>> => {
          try {
            const result = await source.next();
            if (result.done !== true) return { done: false, value: result.value };
          } catch (error) {
            timer.cancel();
            throw error;
          }
          timer.cancel();
          return { done: true, value: undefined };
        },
        return: (): Promise<IteratorResult<Batch, undefined>> => {
          timer.cancel();
          watch.destroy();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}
