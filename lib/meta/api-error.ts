import { ListwatchError, type ErrorCode } from '../kernel/errors.ts';
import { reasonRow } from './status-reason.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';

/** A failure Status as an error. The server throws it, and the client throws it again for the response. */
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

function codeOfStatus({ reason, code }: Status): ErrorCode {
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

/** Builds the error of a reason; the reason determines the HTTP status. */
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
