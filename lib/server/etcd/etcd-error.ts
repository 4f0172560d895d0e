import { ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';

/** The effect of a failed call on the cluster. */
export type EtcdOutcome =
  /** It was not carried out. */
  | 'none'
  /** The connection was lost, or the time ran out, during the call: a write may have been carried out or not. */
  | 'unknown';

/** @see https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
export const status = {
  CANCELLED: 1,
  UNKNOWN: 2,
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** The error type of gRPC for Node. Its own types are not used in declarations, because the package is optional. */
export interface ServiceError extends Error {
  readonly code: number;
  readonly details: string;
}

/** A failed call to etcd. Messages contain no value and no password. */
export class EtcdError extends ListwatchError {
  readonly outcome: EtcdOutcome;

  constructor(code: ErrorCode, message: string, outcome: EtcdOutcome, cause?: unknown) {
    super(code, message, { cause });
    this.outcome = outcome;
  }
}

/** How a failed call is handled. */
export type EtcdFailure =
  /** The member cannot be reached and has received nothing: call another one. */
  | { readonly kind: 'unsent' }
  /** The member closed the connection, has no leader, or did not respond: reads may go to another one. */
  | { readonly kind: 'lost' }
  /** The token has expired. */
  | { readonly kind: 'token' }
  /** etcd refused the request. */
  | { readonly kind: 'refused'; readonly code: ErrorCode };

const UNSENT = /no connection established|name resolution failed|ECONNREFUSED/i;
const CERTIFICATE =
  /certificate|self.signed|altnames|unable to verify|SSL|TLS|wrong version number|EPROTO/i;

/** etcd's own errors, by their text. @see etcd api/v3rpc/rpctypes/error.go @ c34dc7e */
const REFUSALS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/revision has been compacted/, 'COMPACTED'],
  [/future revision/, 'FUTURE_REVISION'],
  [/duplicate key/, 'DUPLICATE_KEY'],
  [/too many operations/, 'TOO_MANY_OPERATIONS'],
  [/requested lease not found/, 'LEASE_NOT_FOUND'],
  [/too large|larger than max/, 'VALUE_TOO_LARGE'],
  [/key is not provided/, 'INVALID_KEY'],
  [/database space exceeded/, 'STORE_FULL'],
  [/authentication failed|permission denied|user name is empty|auth/, 'STORE_FORBIDDEN'],
];

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && typeof (error as Partial<ServiceError>).code === 'number';
}

/** A watch that a member canceled, because it lost its leader or because it refused the request; only the text says which. */
export function canceled(reason: string): ServiceError {
  const error = new Error(`the member canceled the watch: ${reason}`);
  return Object.assign(error, { code: status.UNKNOWN, details: reason });
}

/** A call that failed, as gRPC reports it. */
export function rpcError(code: number, details: string): ServiceError {
  return Object.assign(new Error(details), { code, details });
}

export function failureOf(error: unknown): EtcdFailure {
  if (!isServiceError(error)) return { kind: 'lost' };
  const text = error.details;
  if (/invalid auth token|auth.* revision .*old/.test(text)) return { kind: 'token' };
  switch (error.code) {
    case status.UNAVAILABLE:
      if (UNSENT.test(text)) {
        return CERTIFICATE.test(text)
          ? { kind: 'refused', code: 'CERTIFICATE' }
          : { kind: 'unsent' };
      }
      return { kind: 'lost' };
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
    case status.ABORTED:
    case status.INTERNAL:
    case status.UNKNOWN:
      return refusalOf(text) ?? { kind: 'lost' };
    default:
      return refusalOf(text) ?? { kind: 'refused', code: 'STORE_REFUSED' };
  }
}

function refusalOf(text: string): EtcdFailure | undefined {
  const found = REFUSALS.find(([pattern]) => pattern.test(text));
  return found === undefined ? undefined : { kind: 'refused', code: found[1] };
}

/** Whether the member did not answer in time, or with more than is taken: a smaller request may succeed. */
export function isTooMuch(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  if (error.code === status.CANCELLED) return true;
  return error.code === status.RESOURCE_EXHAUSTED && /larger than max/.test(error.details);
}

/** The error for the caller when no member is left to call. `more`: what else the caller should know. */
export function unavailable(
  what: string,
  endpoints: readonly string[],
  outcome: EtcdOutcome,
  cause: unknown,
  more?: string,
): EtcdError {
  const why = isServiceError(cause) ? cause.details : String(cause);
  const fate =
    outcome === 'unknown' ? 'it is not known whether it was carried out' : 'nothing was changed';
  return new EtcdError(
    'STORE_UNAVAILABLE',
    `etcd did not answer ${what} (asked ${endpoints.join(', ')}): ${why}; ${fate}${more === undefined ? '' : `; ${more}`}`,
    outcome,
    cause,
  );
}

export function refused(what: string, code: ErrorCode, cause: unknown): EtcdError {
  const why = isServiceError(cause) ? cause.details : String(cause);
  return new EtcdError(code, `etcd refused ${what}: ${why}`, 'none', cause);
}
