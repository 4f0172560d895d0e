import { StorageError } from './storage-error.ts';
import type { Preconditions } from './storage-interface.ts';
import type { StoredObject } from './stored-object.ts';

/** @throws {StorageError} INVALID_OBJECT when the object does not meet the preconditions; a missing object never does. */
export function checkPreconditions(
  key: string,
  preconditions: Preconditions | undefined,
  stored: StoredObject | undefined,
): void {
  if (preconditions === undefined) return;
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined) compare(key, 'uid', uid, stored?.metadata.uid);
  if (resourceVersion !== undefined) {
    compare(key, 'resourceVersion', resourceVersion, stored?.resourceVersion);
  }
}

function compare(key: string, field: string, asked: string, actual: string | undefined): void {
  if (asked === actual) return;
  throw new StorageError(
    'INVALID_OBJECT',
    key,
    `the request requires ${field} "${asked}", but the object has "${actual ?? ''}"`,
  );
}
