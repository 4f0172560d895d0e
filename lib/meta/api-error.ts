import { ListwatchError, type ErrorCode } from '../kernel/errors.ts';
import { reasonRow } from './status-reason.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';

/** An answer with a failure Status, on either side of the wire: the server throws it, the client throws it again. */
export class ApiError extends ListwatchError {
  readonly status: Status;

  constructor(status: Status, cause?: unknown) {
    super(codeOfStatus(status), status.message ?? status.reason ?? 'unknown failure', { cause });
    this.status = status;
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

  /** How long the server asks to wait before the next try, milliseconds. */
  get retryAfterMs(): number | undefined {
    const seconds: unknown = this.status.details?.retryAfterSeconds;
    if (typeof seconds !== 'number' || seconds < 0 || !Number.isFinite(seconds)) return undefined;
    return seconds * 1000;
  }
}

/** A Status may come off the wire, from whatever answers there. */
function isStatusCause(cause: unknown): cause is StatusCause {
  return typeof cause === 'object' && cause !== null;
}

function codeOfStatus({ reason, code }: Status): ErrorCode {
  return reasonRow(reason, code)?.errorCode ?? 'UNKNOWN_STATUS';
}

export interface FailureOptions {
  readonly details?: StatusDetails | undefined;
  readonly cause?: unknown;
  /** Overrides the HTTP status that goes with the reason. */
  readonly code?: number | undefined;
  /** `metadata.continue`, for a list that can go on at the newest state. */
  readonly continueToken?: string | undefined;
}

/** Builds the error of a reason; the HTTP status follows from it. */
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
    reason,
    ...(details === undefined ? {} : { details }),
    code: code ?? reasonRow(reason, undefined)?.httpStatus ?? 500,
  };
  return new ApiError(status, cause);
}
