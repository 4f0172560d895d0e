import {
  errorMessage,
  isListwatchError,
  ListwatchError,
  type ErrorCode,
} from '../../kernel/failure/errors.ts';
import { ApiError } from '../../meta/failure/api-error.ts';
import { isStatus, type Status } from '../../meta/failure/status.ts';

/** An error in a recording: what a reader of it needs to act in the same way. */
export interface RecordedError {
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  /** Of a failure that the server has sent. */
  readonly status?: Status | undefined;
}

export function recordedError(error: unknown): RecordedError {
  const message = errorMessage(error);
  if (!isListwatchError(error)) return { message };
  const status = (error as Partial<ApiError>).status;
  return { code: error.code, message, ...(isStatus(status) ? { status } : {}) };
}

/** The error again. */
export function replayedError({ code, message, status }: RecordedError): Error {
  if (status !== undefined) return new ApiError(status, undefined, { problem: message });
  return code === undefined ? new Error(message) : new ListwatchError(code, message);
}
