import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { StorageWatch } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

/** A watch that could not be started. Its reader gets the error; without an error, the watch ends at once. */
export function failedWatch<T extends KubernetesObject>(error?: unknown): StorageWatch<T> {
  type Result = IteratorResult<readonly WatchEvent<StoredObject<T>>[], undefined>;
  let over = error === undefined;
  const close = (): void => {
    over = true;
  };
  const next = async (): Promise<Result> => {
    if (over) return { done: true, value: undefined };
    over = true;
    throw error;
  };
  return {
    destroy: close,
    [Symbol.asyncIterator]: () => ({
      next,
      return: async (): Promise<Result> => {
        close();
        return { done: true, value: undefined };
      },
    }),
  };
}
