import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import type { StatusReason } from '../../../lib/meta/failure/status.ts';

/** The error of a Status with this reason. */
export function failure(reason: StatusReason, code: number, message: string = reason): ApiError {
  return new ApiError(statusOf(reason, code, message));
}

export function expired(): ApiError {
  return failure('Expired', 410);
}

/** The Status an API server sends. */
export function statusOf(
  reason: StatusReason,
  code: number,
  message: string = reason,
): ConstructorParameters<typeof ApiError>[0] {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason,
    code,
    message,
  };
}
