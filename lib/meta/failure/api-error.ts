import { ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import { describeRequest, type FailedRequest } from '../api-call.ts';
import { reasonRow } from './status-reason.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';

/** The reason of a cause that names a field of another manager. */
const FIELD_MANAGER_CONFLICT = 'FieldManagerConflict';

/** A field that another manager has, with another value than the one that is applied. */
export interface ApplyConflict {
  /** E.g. `kubectl-client-side-apply`. */
  readonly manager: string;
  /** E.g. `.spec.replicas`. */
  readonly field: string;
  /** The version in which the other manager wrote the field, if it wrote by an update. */
  readonly apiVersion?: string | undefined;
  /** The subresource through which it wrote, such as `status`. */
  readonly subresource?: string | undefined;
}

const CONFLICT =
  /^conflict with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?(?: using (\S+))?/;

/**
 * The conflict that a cause of an apply's 409 describes; undefined for another cause.
 * @see apimachinery pkg/util/managedfields/internal/conflict.go @ v0.36.3
 */
function applyConflictOf({
  reason,
  message = '',
  field = '',
}: StatusCause): ApplyConflict | undefined {
  if (reason !== FIELD_MANAGER_CONFLICT) return undefined;
  const [, manager = '', subresource, apiVersion] = CONFLICT.exec(message) ?? [];
  return { manager: manager.replaceAll(/\\(.)/g, '$1'), field, apiVersion, subresource };
}

/** The facts about a failure that a client has besides its Status. */
export interface ApiErrorContext {
  /** The request that failed. */
  readonly request?: FailedRequest | undefined;
  /** The cause, on one line. @defaultValue the message of the Status */
  readonly problem?: string | undefined;
  /** The remedy, on the same line. */
  readonly remedy?: string | undefined;
}

/**
 * A failure Status as an error. The server throws it, and the client throws it again for the response.
 *
 * The message of a client's error is one line: the request, the cause and the remedy, e.g. `get pods "web" in namespace "shop"
 * (GET https://10.0.0.1:6443/api/v1/namespaces/shop/pods/web): it does not exist; …`. It has no query, header or body. `status`
 * is what the server sent.
 */
export class ApiError extends ListwatchError {
  readonly status: Status;
  // `inspect` does not show private fields, which the message has already.
  readonly #context: ApiErrorContext;

  constructor(status: Status, cause?: unknown, context: ApiErrorContext = {}) {
    const { request, remedy } = context;
    const problem = context.problem ?? status.message ?? status.reason ?? 'unknown failure';
    const head = request === undefined ? '' : `${describeRequest(request)}: `;
    super(codeOfStatus(status), head + withRemedy(problem, remedy), { cause });
    this.status = status;
    this.#context = { request, problem, remedy };
  }

  /** The request that failed. Undefined for errors of a server. */
  get request(): FailedRequest | undefined {
    return this.#context.request;
  }

  /** The cause, without the request. */
  get problem(): string {
    return this.#context.problem ?? '';
  }

  /** The remedy, if it is known. It is part of the message. */
  get remedy(): string | undefined {
    return this.#context.remedy;
  }

  /** The HTTP status. */
  get httpStatus(): number {
    return this.status.code ?? 500;
  }

  get reason(): StatusReason {
    return this.status.reason ?? '';
  }

  get causes(): readonly StatusCause[] {
    const causes: unknown = this.status.details?.causes;
    return Array.isArray(causes) ? causes.filter(isStatusCause) : [];
  }

  /** The fields that other managers have and that an apply would change; empty for any other failure. */
  get conflicts(): readonly ApplyConflict[] {
    return this.causes.flatMap((cause) => applyConflictOf(cause) ?? []);
  }

  /** The delay that the server asks for before the next try, milliseconds. */
  get retryAfterMs(): number | undefined {
    const seconds: unknown = this.status.details?.retryAfterSeconds;
    if (typeof seconds !== 'number' || seconds < 0 || !Number.isFinite(seconds)) return undefined;
    return seconds * 1000;
  }
}

/** A Status may come from the network, so its fields are checked. */
function isStatusCause(cause: unknown): cause is StatusCause {
  return typeof cause === 'object' && cause !== null;
}

/** `problem; remedy`. A remedy that is part of the problem is not said twice. */
export function withRemedy(problem: string, remedy: string | undefined): string {
  if (remedy === undefined || remedy === '' || problem.includes(remedy)) return problem;
  return `${problem}; ${remedy}`;
}

function codeOfStatus({ reason, code, details }: Status): ErrorCode {
  if (reason === 'Conflict' && hasApplyConflict(details?.causes)) return 'APPLY_CONFLICT';
  return reasonRow(reason, code)?.errorCode ?? 'UNKNOWN_STATUS';
}

export interface FailureOptions {
  readonly details?: StatusDetails | undefined;
  readonly cause?: unknown;
  /** Overrides the HTTP status that goes with the reason. */
  readonly code?: number | undefined;
  /** `metadata.continue`, for a list that can continue at the newest state. */
  readonly continueToken?: string | undefined;
}

/** Builds the error of a reason; the reason determines the HTTP status. The empty reason is left out of the Status, which is a 500. */
export function failure(
  reason: StatusReason,
  message: string,
  { details, cause, code, continueToken }: FailureOptions = {},
): ApiError {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: code ?? reasonRow(reason, undefined)?.httpStatus ?? 500,
  };
  return new ApiError(status, cause);
}

/** The causes may come from the network. */
function hasApplyConflict(causes: unknown): boolean {
  if (!Array.isArray(causes)) return false;
  return causes.some((cause) => isStatusCause(cause) && cause.reason === FIELD_MANAGER_CONFLICT);
}
