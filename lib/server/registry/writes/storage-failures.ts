import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { failure } from '../../../meta/failure/api-error.ts';
import {
  alreadyExists,
  badRequest,
  withoutReason,
  conflict,
  internalError,
  isApiError,
  notFound,
  type Subject,
} from '../../../meta/failure/failures.ts';
import { isStorageError, type StorageError } from '../../storage/contract/storage-error.ts';

/** The message by which clients recognise that their object is out of date. */
export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export type StorageVerb = 'create' | 'get' | 'list' | 'update' | 'delete';

/**
 * The Status for an error of a storage during `verb`. An `ApiError` is passed on, so that strategies and validation can refuse
 * from inside an update; an abort is passed on too.
 * @see apiserver pkg/registry/generic/registry/storage_factory.go and storeerr @ 24a394e
 */
export function storageFailure(
  error: unknown,
  verb: StorageVerb,
  subject: Subject,
  name: string,
): unknown {
  if (isApiError(error)) return error;
  if (isStorageError(error)) {
    switch (error.code) {
      case 'KEY_NOT_FOUND':
        return notFound(subject, name);
      case 'KEY_EXISTS':
        return verb === 'create'
          ? alreadyExists(subject, name)
          : conflict(subject, name, 'an object of this name was created in the meantime');
      case 'RESOURCE_VERSION_CONFLICT':
        return conflict(subject, name, MODIFIED);
      case 'INVALID_OBJECT':
        return conflict(subject, name, error.message);
      case 'RESOURCE_VERSION_SET':
        return withoutReason('resourceVersion should not be set on objects to be created');
      case 'INVALID_KEY':
        return badRequest(error.message, error);
      case 'CORRUPT_OBJECT':
        return unreadable(error, subject, name);
    }
  }
  if (isListwatchError(error, 'VALUE_TOO_LARGE')) {
    return failure('RequestEntityTooLarge', error.message, { cause: error });
  }
  if (isOutcomeUnknown(error)) return unknownOutcome(error, verb, subject);
  if (isListwatchError(error, 'TIMEOUT') || isListwatchError(error, 'STORE_UNAVAILABLE')) {
    return storageTimeout(error, verb, subject);
  }
  if (isListwatchError(error, 'ABORTED') || isAbort(error)) return error;
  return internalError(error instanceof Error ? error.message : String(error), error);
}

function unreadable(error: StorageError, { group, resource }: Subject, name: string): unknown {
  const { key, message } = error;
  const causes = [{ reason: 'UnexpectedServerResponse', message, field: key }];
  const details = { name, ...(group === '' ? {} : { group }), kind: resource, causes };
  return failure('StorageReadError', message, { cause: error, details });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function storageTimeout(error: Error, verb: StorageVerb, { group, resource }: Subject): unknown {
  return failure(
    'ServerTimeout',
    `The ${verb} operation against ${resource} could not be completed at this time, please try again.`,
    {
      cause: error,
      details: {
        name: verb,
        ...(group === '' ? {} : { group }),
        kind: resource,
        retryAfterSeconds: 2,
      },
    },
  );
}

/** Whether the connection to the engine was lost during a write. */
function isOutcomeUnknown(error: unknown): error is Error {
  if (!isListwatchError(error, 'STORE_UNAVAILABLE')) return false;
  return (error as { readonly outcome?: unknown }).outcome === 'unknown';
}

/** Does not ask clients to try again: they would do so automatically, and repeat a write that may have been carried out. */
function unknownOutcome(error: Error, verb: StorageVerb, { group, resource }: Subject): unknown {
  const details = { name: verb, ...(group === '' ? {} : { group }), kind: resource };
  return failure(
    'Timeout',
    `The ${verb} operation against ${resource} was sent to the storage, which did not answer: it is not known whether it was carried out. Read the object before you try again.`,
    { cause: error, details },
  );
}
