/** One reason within a failure, e.g. one invalid field. */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Path of the field, e.g. `spec.replicas`. */
  readonly field?: string | undefined;
}

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** The lower-case resource, except for reason Invalid, where it is the Kind. */
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A response of an API server that is not an object: a failure, or the success of a deletion. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string | undefined };
  readonly status: 'Success' | 'Failure';
  readonly message?: string | undefined;
  readonly reason?: StatusReason | undefined;
  readonly details?: StatusDetails | undefined;
  /** The HTTP status; left out on success. */
  readonly code?: number | undefined;
}

export type StatusReason =
  | ''
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'StorageReadError'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'Timeout';

/** Whether a decoded body is a Status. */
export function isStatus(body: unknown): body is Status {
  if (typeof body !== 'object' || body === null) return false;
  const { kind, apiVersion } = body as { kind?: unknown; apiVersion?: unknown };
  return kind === 'Status' && (apiVersion === 'v1' || apiVersion === 'meta.k8s.io/v1');
}
