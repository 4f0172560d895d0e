import { ListwatchError, type ErrorCode } from '../../../kernel/failure/errors.ts';

/** @experimental */
export type StorageErrorCode = Extract<
  ErrorCode,
  | 'KEY_NOT_FOUND'
  | 'KEY_EXISTS'
  | 'RESOURCE_VERSION_CONFLICT'
  | 'INVALID_OBJECT'
  | 'RESOURCE_VERSION_SET'
  | 'INVALID_KEY'
  | 'CORRUPT_OBJECT'
>;

/**
 * A failure that concerns one key; the registry turns it into the Status of the resource.
 *
 * @experimental
 */
export class StorageError extends ListwatchError {
  declare readonly code: StorageErrorCode;
  readonly key: string;

  constructor(code: StorageErrorCode, key: string, message: string, cause?: unknown) {
    super(code, `${message} (key ${key})`, { cause });
    this.key = key;
  }
}

/** @experimental */
export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof StorageError && (code === undefined || error.code === code);
}
