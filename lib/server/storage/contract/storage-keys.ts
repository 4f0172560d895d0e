import { StorageError } from './storage-error.ts';

/**
 * Checks a key and brings it into the form of the engine. The key of a recursive call gets a trailing slash, so that a prefix
 * never matches part of a name.
 * @throws {StorageError} INVALID_KEY when it is empty, has a segment `.` or `..`, or does not lie under the prefix.
 * @see apiserver pkg/storage/etcd3/store.go prepareKey @ 24a394e
 */
export function prepareKey(resourcePrefix: string, key: string, recursive: boolean): string {
  if (key === '' || key === '/') throw new StorageError('INVALID_KEY', key, 'the key is empty');
  if (hasDotSegment(key)) {
    throw new StorageError('INVALID_KEY', key, 'the key has a segment "." or ".."');
  }
  const prepared = recursive && !key.endsWith('/') ? `${key}/` : key;
  if (!prepared.startsWith(resourcePrefix)) {
    throw new StorageError('INVALID_KEY', key, `the key does not lie under ${resourcePrefix}`);
  }
  return prepared;
}

/** A prefix with one slash at each end. @throws {StorageError} INVALID_KEY. */
export function prepareResourcePrefix(prefix: string): string {
  const prepared = `/${prefix}/`.replaceAll(/\/{2,}/g, '/');
  if (prepared === '/' || hasDotSegment(prepared)) {
    throw new StorageError(
      'INVALID_KEY',
      prefix,
      'the resource prefix is empty or has dot segments',
    );
  }
  return prepared;
}

function hasDotSegment(key: string): boolean {
  if (!key.includes('.')) return false;
  return key.split('/').some((segment) => segment === '.' || segment === '..');
}
