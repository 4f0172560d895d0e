import { errorMessage, isListwatchError, type ErrorCode } from '../../kernel/errors.ts';
import {
  isApiError,
  isExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../../meta/failures.ts';

/** How the reflector reacts to a failed list or watch depends on nothing but this. */
export type FailureKind =
  /** 410 with reason Expired: the resource version or continue token is too old. */
  | 'expired'
  /** 410 in its other spellings. */
  | 'gone'
  /** The resource version is ahead of the server. */
  | 'too-large'
  | 'too-many-requests'
  | 'connection-refused'
  /** The connection broke, timed out or fell silent: nothing is known about the state of the server. */
  | 'connection-lost'
  /** The request itself was refused; a streaming list is then not supported. */
  | 'invalid'
  /** The end bookmark of a streaming list did not come in time. */
  | 'bookmark-overdue'
  | 'other';

export interface Failure {
  readonly kind: FailureKind;
  /** What the server asked for, milliseconds; 0 when it did not. */
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

/** A chain of causes can be a circle. */
const DEEPEST_CAUSE = 8;

/** Sorts an error of a list or a watch into its kind. */
export function classifyFailure(error: unknown): Failure {
  return { kind: kindOf(error), retryAfterMs: retryAfterOf(error), message: errorMessage(error) };
}

function kindOf(error: unknown): FailureKind {
  if (isListwatchError(error, 'WATCH_LIST_INCOMPLETE')) return 'bookmark-overdue';
  if (isTooLargeResourceVersion(error)) return 'too-large';
  if (isExpired(error)) return isListwatchError(error, 'EXPIRED') ? 'expired' : 'gone';
  if (isTooManyRequests(error)) return 'too-many-requests';
  if (isListwatchError(error, 'INVALID') || isListwatchError(error, 'BAD_REQUEST'))
    return 'invalid';
  if (isApiError(error)) return 'other';
  if (hasCode(error, REFUSED_CODES)) return 'connection-refused';
  return hasCode(error, LOST_CODES) ? 'connection-lost' : 'other';
}

function retryAfterOf(error: unknown): number {
  return isApiError(error) ? Math.max(0, error.retryAfterMs ?? 0) : 0;
}

/** Nobody listened at the address: said by the error, one of its causes, or one of the addresses that were tried. */
export function isConnectionRefused(error: unknown): boolean {
  return hasCode(error, REFUSED_CODES);
}

function hasCode(error: unknown, codes: ReadonlySet<string>, depth: number = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > DEEPEST_CAUSE) return false;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === 'string' && codes.has(code)) return true;
  if (hasCode(cause, codes, depth + 1)) return true;
  return Array.isArray(errors) && errors.some((one) => hasCode(one, codes, depth + 1));
}

const REMEDIES: { readonly [Code in ErrorCode]?: string } = {
  FORBIDDEN: 'Give the user the verbs list and watch on this resource, in a Role or ClusterRole.',
  NOT_FOUND:
    'The server does not serve this resource: check group, version and plural name, and that its CustomResourceDefinition is installed.',
  UNAUTHORIZED:
    'The credentials are missing, wrong or expired: check token, client certificate or exec plugin.',
  CERTIFICATE:
    'The certificate of the server does not verify: check certificate-authority and the address in the kubeconfig.',
  CONNECTION_REFUSED:
    'Nothing listens at the server address: is the API server running, and is the address right?',
  TABLE_OBJECT: 'Ask for plain objects: the Accept header must not name Table.',
};

/** What a person can do about the error, or the empty string. */
export function remedyOf(error: unknown): string {
  if (isListwatchError(error)) return REMEDIES[error.code] ?? '';
  return isConnectionRefused(error) ? (REMEDIES.CONNECTION_REFUSED as string) : '';
}
