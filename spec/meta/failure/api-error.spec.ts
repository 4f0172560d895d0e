import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ApiError, failure } from '../../../lib/meta/failure/api-error.ts';
import { isTooLargeResourceVersion } from '../../../lib/meta/failure/failures.ts';
import { reasonRow } from '../../../lib/meta/failure/status-reason.ts';
import { isStatus, type Status, type StatusReason } from '../../../lib/meta/failure/status.ts';

const status = (fields: Partial<Status>): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  ...fields,
});

describe('ApiError', () => {
  const BY_REASON: readonly (readonly [StatusReason, number, string])[] = [
    ['BadRequest', 400, 'BAD_REQUEST'],
    ['Unauthorized', 401, 'UNAUTHORIZED'],
    ['Forbidden', 403, 'FORBIDDEN'],
    ['NotFound', 404, 'NOT_FOUND'],
    ['MethodNotAllowed', 405, 'METHOD_NOT_ALLOWED'],
    ['NotAcceptable', 406, 'NOT_ACCEPTABLE'],
    ['AlreadyExists', 409, 'ALREADY_EXISTS'],
    ['Conflict', 409, 'CONFLICT'],
    ['Gone', 410, 'GONE'],
    ['Expired', 410, 'EXPIRED'],
    ['RequestEntityTooLarge', 413, 'REQUEST_ENTITY_TOO_LARGE'],
    ['UnsupportedMediaType', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['Invalid', 422, 'INVALID'],
    ['TooManyRequests', 429, 'TOO_MANY_REQUESTS'],
    ['InternalError', 500, 'INTERNAL_ERROR'],
    ['StorageReadError', 500, 'STORAGE_READ_ERROR'],
    ['ServerTimeout', 500, 'SERVER_TIMEOUT'],
    ['ServiceUnavailable', 503, 'SERVICE_UNAVAILABLE'],
    ['Timeout', 504, 'GATEWAY_TIMEOUT'],
  ];
  for (const [reason, httpStatus, code] of BY_REASON) {
    it(`gives reason ${reason} the status ${httpStatus} and the code ${code}`, () => {
      const error = failure(reason, 'no');
      expect(error).to.include({ reason, httpStatus, code, message: 'no', name: 'ApiError' });
      expect(error.status).to.include({ kind: 'Status', status: 'Failure', code: httpStatus });
    });
  }

  const BY_STATUS: readonly (readonly [number, string])[] = [
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [410, 'EXPIRED'],
    [429, 'TOO_MANY_REQUESTS'],
    [500, 'INTERNAL_ERROR'],
    [504, 'GATEWAY_TIMEOUT'],
    [418, 'UNKNOWN_STATUS'],
  ];
  for (const [httpStatus, code] of BY_STATUS) {
    it(`takes a bare ${httpStatus} for ${code}, with a reason it does not know too`, () => {
      expect(new ApiError(status({ code: httpStatus })).code).to.equal(code);
      const odd = 'SomethingNew' as StatusReason;
      expect(new ApiError(status({ code: httpStatus, reason: odd })).code).to.equal(code);
    });
  }

  it('uses the reason when reason and status disagree', () => {
    expect(new ApiError(status({ code: 500, reason: 'Conflict' })).code).to.equal('CONFLICT');
  });

  it('has words, a status and causes even when the answer has none', () => {
    const error = new ApiError(status({}));
    expect(error).to.include({
      message: 'unknown failure',
      httpStatus: 500,
      reason: '',
      retryAfterMs: undefined,
    });
    expect(error.causes).to.deep.equal([]);
    expect(new ApiError(status({ reason: 'Gone' })).message).to.equal('Gone');
  });

  it('is a ListwatchError with its cause', () => {
    const cause = new Error('root');
    const error = failure('InternalError', 'no', { cause, code: 599, continueToken: 't' });
    expect(isListwatchError(error, 'INTERNAL_ERROR')).to.equal(true);
    expect(error.cause).to.equal(cause);
    expect(error.httpStatus).to.equal(599);
    expect(error.status.metadata.continue).to.equal('t');
  });

  it('has the delay before a retry, in milliseconds', () => {
    expect(
      failure('TooManyRequests', 'no', { details: { retryAfterSeconds: 3 } }).retryAfterMs,
    ).to.equal(3000);
  });

  it('reads nothing into details that are not what the API says they are', () => {
    for (const retryAfterSeconds of ['soon', -1, Infinity, null, [3], {}]) {
      const details = { retryAfterSeconds } as object;
      expect(new ApiError(status({ code: 429, details })).retryAfterMs).to.equal(undefined);
    }
    for (const causes of ['no', { reason: 'x' }, 5, null, [null, 'x', 1]]) {
      const error = new ApiError(status({ code: 504, details: { causes } as object }));
      expect(error.causes).to.deep.equal([]);
      expect(isTooLargeResourceVersion(error)).to.equal(false);
    }
  });
});

describe('reasonRow', () => {
  it('knows nothing of names that every object has', () => {
    expect(reasonRow('constructor', undefined)).to.equal(undefined);
    expect(reasonRow(undefined, undefined)).to.equal(undefined);
  });
});

describe('isStatus', () => {
  it('looks at kind and apiVersion', () => {
    expect(isStatus(status({}))).to.equal(true);
    expect(isStatus({ kind: 'Status', apiVersion: 'meta.k8s.io/v1' })).to.equal(true);
    for (const other of [
      null,
      undefined,
      'Status',
      {},
      { kind: 'Status' },
      { kind: 'Status', apiVersion: 'v2' },
    ]) {
      expect(isStatus(other)).to.equal(false);
    }
  });
});
