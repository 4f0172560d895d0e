import type { ErrorCode } from '../../kernel/failure/errors.ts';
import type { StatusReason } from './status.ts';

interface ReasonRow {
  readonly reason: StatusReason;
  readonly httpStatus: number;
  readonly errorCode: ErrorCode;
}

/** The HTTP status and the error code of each reason. The first row of a status is used for responses without a reason. */
const rows: readonly ReasonRow[] = [
  { reason: 'BadRequest', httpStatus: 400, errorCode: 'BAD_REQUEST' },
  { reason: 'Unauthorized', httpStatus: 401, errorCode: 'UNAUTHORIZED' },
  { reason: 'Forbidden', httpStatus: 403, errorCode: 'FORBIDDEN' },
  { reason: 'NotFound', httpStatus: 404, errorCode: 'NOT_FOUND' },
  { reason: 'MethodNotAllowed', httpStatus: 405, errorCode: 'METHOD_NOT_ALLOWED' },
  { reason: 'NotAcceptable', httpStatus: 406, errorCode: 'NOT_ACCEPTABLE' },
  { reason: 'Conflict', httpStatus: 409, errorCode: 'CONFLICT' },
  { reason: 'AlreadyExists', httpStatus: 409, errorCode: 'ALREADY_EXISTS' },
  { reason: 'Expired', httpStatus: 410, errorCode: 'EXPIRED' },
  { reason: 'Gone', httpStatus: 410, errorCode: 'GONE' },
  { reason: 'RequestEntityTooLarge', httpStatus: 413, errorCode: 'REQUEST_ENTITY_TOO_LARGE' },
  { reason: 'UnsupportedMediaType', httpStatus: 415, errorCode: 'UNSUPPORTED_MEDIA_TYPE' },
  { reason: 'Invalid', httpStatus: 422, errorCode: 'INVALID' },
  { reason: 'TooManyRequests', httpStatus: 429, errorCode: 'TOO_MANY_REQUESTS' },
  { reason: 'InternalError', httpStatus: 500, errorCode: 'INTERNAL_ERROR' },
  { reason: 'StorageReadError', httpStatus: 500, errorCode: 'STORAGE_READ_ERROR' },
  { reason: 'ServerTimeout', httpStatus: 500, errorCode: 'SERVER_TIMEOUT' },
  { reason: 'ServiceUnavailable', httpStatus: 503, errorCode: 'SERVICE_UNAVAILABLE' },
  { reason: 'Timeout', httpStatus: 504, errorCode: 'GATEWAY_TIMEOUT' },
];

/** The row of a reason. For a response without a known reason, the row of its HTTP status. */
export function reasonRow(
  reason: string | undefined,
  httpStatus: number | undefined,
): ReasonRow | undefined {
  return (
    rows.find((row) => row.reason === reason) ?? rows.find((row) => row.httpStatus === httpStatus)
  );
}
