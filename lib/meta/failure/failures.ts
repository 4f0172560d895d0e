import { isError } from '../../kernel/failure/errors.ts';
import { failure, type ApiError } from './api-error.ts';
import { groupResource, type GroupVersionKind } from '../resource.ts';
import type { StatusCause, StatusDetails } from './status.ts';

/** The subject of a failure: resource in lower-case plural and its group. */
export interface Subject {
  readonly group: string;
  readonly resource: string;
}

/** Quotes a name: it may be any text that a client sent, and its control characters must not reach a terminal. */
function quoted(name: string): string {
  return JSON.stringify(name);
}

function subjectDetails({ group, resource }: Subject, name: string): StatusDetails {
  return { name, ...(group === '' ? {} : { group }), kind: resource };
}

export function badRequest(message: string, cause?: unknown): ApiError {
  return failure('BadRequest', message, { cause });
}

export function notFound(subject: Subject, name: string): ApiError {
  return failure('NotFound', `${groupResource(subject)} ${quoted(name)} not found`, {
    details: subjectDetails(subject, name),
  });
}

export function alreadyExists(subject: Subject, name: string, prefix: string = ''): ApiError {
  return failure(
    'AlreadyExists',
    `${prefix}${groupResource(subject)} ${quoted(name)} already exists`,
    {
      details: subjectDetails(subject, name),
    },
  );
}

export function conflict(subject: Subject, name: string, reason: string): ApiError {
  const message = `Operation cannot be fulfilled on ${groupResource(subject)} ${quoted(name)}: ${reason}`;
  return failure('Conflict', message, { details: subjectDetails(subject, name) });
}

export function forbidden(subject: Subject, name: string, reason: string): ApiError {
  const message = `${groupResource(subject)} ${quoted(name)} is forbidden: ${reason}`;
  return failure('Forbidden', message, { details: subjectDetails(subject, name) });
}

/** One broken rule of an object; see `invalid`. */
export interface FieldCause extends StatusCause {
  readonly reason:
    | 'FieldValueNotFound'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  readonly message: string;
  readonly field: string;
}

export function invalid(
  { group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>,
  name: string,
  causes: readonly FieldCause[],
): ApiError {
  // The same cause may be named several times, because several rules look at a field.
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return failure(
    'Invalid',
    `${groupResource({ group, resource: kind })} ${quoted(name)} is invalid: ${list}`,
    {
      details: {
        ...(name === '' ? {} : { name }),
        ...(group === '' ? {} : { group }),
        ...(kind === '' ? {} : { kind }),
        causes,
      },
    },
  );
}

/** 410: the requested history is no longer available. */
export function expired(message: string, continueToken?: string): ApiError {
  return failure('Expired', message, { continueToken });
}

/** The cause type that distinguishes "not reached yet" from other 504 responses. */
export const RESOURCE_VERSION_TOO_LARGE = 'ResourceVersionTooLarge';

/** 504: the requested resource version is ahead of this server; retry in a second. */
export function tooLargeResourceVersion(asked: string, current: string): ApiError {
  return failure('Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: RESOURCE_VERSION_TOO_LARGE, message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return failure('TooManyRequests', message, { details: { retryAfterSeconds } });
}

/** 500 without a reason: what a server answers for an error that it has no reason for. */
export function withoutReason(message: string): ApiError {
  return failure('', message);
}

export function internalError(message: string, cause?: unknown): ApiError {
  return failure('InternalError', `Internal error occurred: ${message}`, {
    cause,
    details: { causes: [{ message }] },
  });
}

// Predicates. They read the Status, so they also work for errors of another copy of the package. They name the code, so that an
// `ApiError` that is not of this code stays an `ApiError` for the compiler.

export function isApiError(error: unknown): error is ApiError {
  return isError(error) && 'httpStatus' in error && 'status' in error;
}

export function isNotFound(error: unknown): error is ApiError & { readonly code: 'NOT_FOUND' } {
  return isApiError(error) && error.code === 'NOT_FOUND';
}

export function isAlreadyExists(
  error: unknown,
): error is ApiError & { readonly code: 'ALREADY_EXISTS' } {
  return isApiError(error) && error.code === 'ALREADY_EXISTS';
}

/** The object changed since it was read. Not the conflict of an apply, which a new read does not end: see `isApplyConflict`. */
export function isConflict(error: unknown): error is ApiError & { readonly code: 'CONFLICT' } {
  return isApiError(error) && error.code === 'CONFLICT';
}

/** Other managers have fields that an apply would change; `conflicts` of the error names them. */
export function isApplyConflict(
  error: unknown,
): error is ApiError & { readonly code: 'APPLY_CONFLICT' } {
  return isApiError(error) && error.code === 'APPLY_CONFLICT';
}

/** 410 in both forms: reason Expired or Gone, or the status code alone. */
export function isExpired(
  error: unknown,
): error is ApiError & { readonly code: 'EXPIRED' | 'GONE' } {
  return isApiError(error) && (error.code === 'EXPIRED' || error.code === 'GONE');
}

/** Whether the requested resource version is ahead of the server. Recognises the present wording and that of older servers. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!isApiError(error)) return false;
  if (error.causes.some((cause) => cause.reason === RESOURCE_VERSION_TOO_LARGE)) return true;
  if (error.code !== 'GATEWAY_TIMEOUT') return false;
  const words = 'Too large resource version';
  return (
    (error.status.message ?? '').includes(words) ||
    error.causes.some(({ message }) => message === words)
  );
}

export function isTooManyRequests(
  error: unknown,
): error is ApiError & ({ readonly code: 'TOO_MANY_REQUESTS' } | { readonly httpStatus: 429 }) {
  return isApiError(error) && (error.code === 'TOO_MANY_REQUESTS' || error.httpStatus === 429);
}

export function isInvalid(error: unknown): error is ApiError & { readonly code: 'INVALID' } {
  return isApiError(error) && error.code === 'INVALID';
}
