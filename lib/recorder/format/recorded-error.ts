import {
  errorMessage,
  isListwatchError,
  ListwatchError,
  type ErrorCode,
} from '../../kernel/failure/errors.ts';
import { ApiError } from '../../meta/failure/api-error.ts';
import { plainStatus, sealedStatus, UNSHOWN_TEXT } from '../../meta/failure/sealed-status.ts';
import { isStatus, type Status } from '../../meta/failure/status.ts';
import { describeRequest } from '../../meta/api-call.ts';

/** An error in a recording: what a reader of it needs to act in the same way. */
export interface RecordedError {
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  /** Of a failure that the server has sent. */
  readonly status?: Status | undefined;
}

/** `ofSecrets`: it is about a collection of Secrets, so texts of the server and of a source are left out. */
export function recordedError(error: unknown, ofSecrets: boolean): RecordedError {
  const message = errorMessage(error);
  if (!isListwatchError(error)) return { message: ofSecrets ? UNSHOWN_TEXT : message };
  const { status, request } = error as Partial<ApiError>;
  if (!isStatus(status)) {
    const isShown = !ofSecrets || status === undefined;
    return { code: error.code, message: isShown ? message : UNSHOWN_TEXT };
  }
  if (!ofSecrets) return { code: error.code, message, status: plainStatus(status) };
  const sealed = sealedStatus(status);
  const head = request === undefined ? '' : `${describeRequest(request)}: `;
  return { code: error.code, message: `${head}${sealed.message}`, status: sealed };
}

/** The error again. */
export function replayedError({ code, message, status }: RecordedError): Error {
  if (status !== undefined) return new ApiError(status, undefined, { problem: message });
  return code === undefined ? new Error(message) : new ListwatchError(code, message);
}
