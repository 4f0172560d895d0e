import { ApiError, failure } from '../../meta/failure/api-error.ts';
import {
  internalError,
  invalid,
  isApiError,
  badRequest,
  type FieldCause,
} from '../../meta/failure/failures.ts';
import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import { BUILT_IN_GROUPS } from './built-in-groups.ts';

/** An unknown path below a built-in API group. `details` is there but empty: some clients read it without a check. */
export function unknownPath(): ApiError {
  return failure('NotFound', 'the server could not find the requested resource', { details: {} });
}

/** A path that no part of the server knows. Kubernetes answers with a line of plain text, not with a Status. */
export class PageNotFound extends ApiError {
  constructor() {
    super(failure('NotFound', '404 page not found').status);
  }
}

/** A request whose path is no path. Go's HTTP server answers with plain text, before the API sees it. */
export class MalformedRequest extends ApiError {
  constructor() {
    super(failure('BadRequest', '400 Bad Request').status);
  }
}

/** The failure for a path below `/api` or `/apis` that is not served. */
export function unknownPathIn(group: string): ApiError {
  return BUILT_IN_GROUPS.has(group) ? unknownPath() : new PageNotFound();
}

export function methodNotAllowed(): ApiError {
  return failure(
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    { details: {} },
  );
}

/** The parameters of the accepted media types cannot be met, or none of the media types is known. */
export function notAcceptable(offered: readonly string[]): ApiError {
  return failure(
    'NotAcceptable',
    `only the following media types are accepted: ${offered.join(', ')}`,
  );
}

/** None of the media types of the Accept header is one of the route. */
export function noRepresentation(offered: readonly string[]): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${offered.join(', ')}`;
  return failure('NotAcceptable', message, { details: {} });
}

/** The answer has a shape that the accepted one does not fit: a list or an object. */
export function otherShape(message: string): ApiError {
  return failure('NotAcceptable', message);
}

export function unsupportedMediaType(taken: readonly string[]): ApiError {
  return failure(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${taken.join(', ')}`,
  );
}

/** The route has no such format of a patch. */
export function noSuchMediaType(): ApiError {
  return failure('UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
}

export function entityTooLarge(reason: string): ApiError {
  return failure('RequestEntityTooLarge', `Request entity too large: ${reason}`);
}

export function unauthorized(): ApiError {
  return failure('Unauthorized', 'Unauthorized');
}

/** 504 for a request that is not a watch and exceeded its time limit. */
export function requestTimedOut(): ApiError {
  const text = 'Timeout: request did not complete within the allotted timeout';
  return failure('Timeout', text, { details: {} });
}

/** The options of a request are invalid; `kind` names the options type, e.g. `ListOptions`. */
export function invalidOptions(kind: string, causes: readonly FieldCause[]): ApiError {
  return invalid({ group: 'meta.k8s.io', kind }, '', causes);
}

/** The response for an error that was thrown while a request was served. */
export function toApiError(error: unknown): ApiError {
  if (isApiError(error)) return error;
  if (isListwatchError(error, 'INVALID_SELECTOR') || isListwatchError(error, 'INVALID_CONTINUE')) {
    return badRequest(error.message, error);
  }
  if (isListwatchError(error, 'CORRUPT_OBJECT')) {
    return failure('StorageReadError', error.message, { cause: error });
  }
  if (isListwatchError(error, 'CLOSED') || isListwatchError(error, 'STORE_UNAVAILABLE')) {
    return failure('ServiceUnavailable', error.message, { cause: error });
  }
  return internalError(errorMessage(error), error);
}
