import { isListwatchError, type ErrorCode } from '../../../kernel/failure/errors.ts';
import {
  isApiError,
  isExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../../../meta/failure/failures.ts';
import { failureMessage, findCode } from '../../../kernel/failure/error-chain.ts';

/** The kind of a failed list or watch. It alone determines the reaction of the reflector. */
export type FailureKind =
  /** 410 with reason Expired: the resource version or continue token is too old. */
  | 'expired'
  /** 410 in its other spellings. */
  | 'gone'
  /** The resource version is ahead of the server. */
  | 'too-large'
  | 'too-many-requests'
  | 'connection-refused'
  /** 502, 503 or 504: the server, or a proxy before it, cannot answer at present. */
  | 'unavailable'
  /** 500 without a more precise reason. */
  | 'internal'
  /** The connection broke, timed out or became silent: the state of the server is not known. */
  | 'connection-lost'
  /** The request itself was refused, for example for its selector; a streaming list may then be unsupported. */
  | 'invalid'
  /** 405, 406 or 415: the server never answers such a request. */
  | 'unsupported'
  /** The end bookmark of a streaming list did not come in time. */
  | 'bookmark-overdue'
  /** The stream shows that the server is at an older resource version than before. */
  | 'went-back'
  | 'other';

export interface Failure {
  readonly kind: FailureKind;
  /** The delay that the server asked for, milliseconds; 0 when it did not. */
  readonly retryAfterMs: number;
  readonly message: string;
}

const LOST_CODES: ReadonlySet<string> = new Set([
  // of this package
  'CONNECTION_FAILED',
  'REQUEST_TIMEOUT',
  'STREAM_IDLE',
  'TIMEOUT',
  // of Node and its HTTP clients
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
]);

const REFUSED_CODES: ReadonlySet<string> = new Set(['CONNECTION_REFUSED', 'ECONNREFUSED']);

const INVALID_CODES: ReadonlySet<ErrorCode> = new Set([
  'BAD_REQUEST',
  'INVALID',
  'INVALID_SELECTOR',
]);

const UNSUPPORTED_CODES: ReadonlySet<ErrorCode> = new Set([
  'METHOD_NOT_ALLOWED',
  'NOT_ACCEPTABLE',
  'UNSUPPORTED_MEDIA_TYPE',
]);

const UNAVAILABLE_STATUS: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns the kind of an error of a list or a watch. */
export function classifyFailure(error: unknown): Failure {
  return { kind: kindOf(error), retryAfterMs: retryAfterOf(error), message: failureMessage(error) };
}

function kindOf(error: unknown): FailureKind {
  if (isListwatchError(error, 'WATCH_LIST_INCOMPLETE')) return 'bookmark-overdue';
  if (isTooLargeResourceVersion(error)) return 'too-large';
  if (isExpired(error)) return isListwatchError(error, 'EXPIRED') ? 'expired' : 'gone';
  if (isTooManyRequests(error)) return 'too-many-requests';
  if (isListwatchError(error) && INVALID_CODES.has(error.code)) return 'invalid';
  if (isListwatchError(error) && UNSUPPORTED_CODES.has(error.code)) return 'unsupported';
  if (isListwatchError(error, 'RESOURCE_VERSION_WENT_BACK')) return 'went-back';
  if (isListwatchError(error, 'INTERNAL_ERROR')) return 'internal';
  if (isApiError(error)) return UNAVAILABLE_STATUS.has(error.httpStatus) ? 'unavailable' : 'other';
  if (findCode(error, REFUSED_CODES) !== undefined) return 'connection-refused';
  return findCode(error, LOST_CODES) === undefined ? 'other' : 'connection-lost';
}

function retryAfterOf(error: unknown): number {
  return isApiError(error) ? Math.max(0, error.retryAfterMs ?? 0) : 0;
}

/** The connection was refused: found in the error, one of its causes, or one of the addresses that were tried. */
export function isConnectionRefused(error: unknown): boolean {
  return findCode(error, REFUSED_CODES) !== undefined;
}
