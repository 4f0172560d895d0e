import { conflict, withoutReason } from '../../../meta/failure/failures.ts';
import { resourceVersionFailure } from '../../storage/contract/versioner.ts';
import type { ResourceDescription, WriteOptions } from '../contract/rest-storage.ts';
import type { MutableMetadata } from '../rules/mutable-object.ts';

/** Whether an object says nothing about the version that it replaces. */
export function isUnset(resourceVersion: string): boolean {
  return resourceVersion === '' || resourceVersion === '0';
}

/**
 * Refuses an object that is to be created and names a uid, which only a stored object has.
 * @throws {ApiError} 409, in other words after an apply.
 * @see kubernetes, apiserver/pkg/endpoints/handlers/patch.go `applyPatch` @ v1.36.3
 */
export function refuseGivenUid(
  describe: ResourceDescription,
  key: string,
  { name = '', uid = '' }: MutableMetadata,
  { forceAllowCreate = false, dryRun = false }: WriteOptions,
): void {
  if (uid === '') return;
  if (!forceAllowCreate) throw uidConflict(describe, name, { key, dryRun, uid, storedUid: '' });
  const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(describe, name, text);
}

/** The conflict of a uid that is not the stored one. A dry run names the key without its root, as kube-apiserver does. */
export function uidConflict(
  describe: ResourceDescription,
  name: string,
  given: {
    readonly key: string;
    readonly dryRun: boolean;
    readonly uid: string;
    readonly storedUid: string;
  },
): Error {
  const key = given.dryRun ? given.key.replace('/registry', '') : given.key;
  const reason = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${given.storedUid}`;
  return conflict(describe, name, reason);
}

/** @throws {ApiError} 500 without a reason for a text that is no resource version. */
export function checkVersionText(resourceVersion: string): void {
  if (isUnset(resourceVersion)) return;
  const failure = resourceVersionFailure(resourceVersion);
  if (failure !== undefined) throw withoutReason(failure);
}
