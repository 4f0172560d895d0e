import type { KubernetesObject } from '../../meta/object.ts';
import { isApiError, isTooManyRequests } from '../../meta/failure/failures.ts';
import type { StorageInterface, StorageList } from '../storage/contract/storage-interface.ts';

/**
 * All readable objects under a prefix, for the server's own work. An unreadable object keeps a watch cache from being filled, but
 * it must not stop the server: then no client could remove it.
 * @throws {ApiError} other errors of the storage.
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
