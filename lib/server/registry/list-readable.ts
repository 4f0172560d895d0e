import type { KubernetesObject } from '../../meta/object.ts';
import { isApiError, isTooManyRequests } from '../../meta/failures.ts';
import type { StorageInterface, StorageList } from '../storage/contract/storage-interface.ts';

/**
 * Everything under a prefix that can be read, for the server's own work: an object that cannot be read keeps a watch cache from
 * being filled, but must not stop the server, or no client could remove the object.
 * @throws {ApiError} what the storage answers otherwise.
 */
export async function listReadable<T extends KubernetesObject>(
  storage: StorageInterface<T>,
  prefix: string,
  signal?: AbortSignal,
): Promise<StorageList<T>> {
  try {
    return await storage.getList(prefix, { signal });
  } catch (error) {
    if (!isTooManyRequests(error) && !isUnreadable(error)) throw error;
    return await storage.getList(prefix, { leaveOutUnreadable: true, signal });
  }
}

function isUnreadable(error: unknown): boolean {
  return isApiError(error) && error.reason === 'StorageReadError';
}
