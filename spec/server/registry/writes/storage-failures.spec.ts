import { expect } from 'chai';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import type { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import { expired } from '../../../../lib/meta/failure/failures.ts';
import {
  storageFailure,
  type StorageVerb,
} from '../../../../lib/server/registry/writes/storage-failures.ts';
import { StorageError } from '../../../../lib/server/storage/contract/storage-error.ts';

const PODS = { group: '', resource: 'pods' };

describe('storageFailure', () => {
  const key = '/registry/pods/shop/p';
  for (const [code, verb, httpStatus, reason] of [
    ['KEY_NOT_FOUND', 'get', 404, 'NotFound'],
    ['KEY_NOT_FOUND', 'update', 404, 'NotFound'],
    ['KEY_NOT_FOUND', 'delete', 404, 'NotFound'],
    ['KEY_EXISTS', 'create', 409, 'AlreadyExists'],
    ['KEY_EXISTS', 'update', 409, 'Conflict'],
    ['RESOURCE_VERSION_CONFLICT', 'update', 409, 'Conflict'],
    ['INVALID_OBJECT', 'delete', 409, 'Conflict'],
    ['RESOURCE_VERSION_SET', 'create', 500, ''],
    ['INVALID_KEY', 'get', 400, 'BadRequest'],
    ['CORRUPT_OBJECT', 'get', 500, 'StorageReadError'],
  ] as const) {
    it(`makes ${code} on ${verb} a ${httpStatus} ${reason}`, () => {
      const error = storageFailure(new StorageError(code, key, 'x'), verb, PODS, 'p') as ApiError;
      expect([error.httpStatus, error.reason]).to.deep.equal([httpStatus, reason]);
    });
  }

  const mapped = (error: unknown, verb: StorageVerb = 'list'): ApiError =>
    storageFailure(error, verb, PODS, 'p') as ApiError;

  it('names resource and object', () => {
    const { status } = mapped(new StorageError('KEY_NOT_FOUND', key, 'x'), 'get');
    expect(status.message).to.equal('pods "p" not found');
    expect(status.details).to.deep.equal({ name: 'p', kind: 'pods' });
  });

  it('lets refusals of the API and aborts pass as they are', () => {
    const aborted = new ListwatchError('ABORTED', 'x');
    const gone = expired('too old');
    const native = new DOMException('x', 'AbortError');
    for (const error of [aborted, gone, native]) expect(mapped(error)).to.equal(error);
  });

  it('makes an object that is too large a 413', () => {
    const error = mapped(new ListwatchError('VALUE_TOO_LARGE', 'x'), 'create');
    expect([error.httpStatus, error.reason]).to.deep.equal([413, 'RequestEntityTooLarge']);
  });

  it('asks to try again when the storage did not answer in time', () => {
    for (const code of ['TIMEOUT', 'STORE_UNAVAILABLE'] as const) {
      const error = mapped(new ListwatchError(code, 'x'), 'update');
      expect([error.httpStatus, error.reason, error.retryAfterMs]).to.deep.equal([
        500,
        'ServerTimeout',
        2000,
      ]);
    }
  });

  it('says of a write whose fate is not known that it is not, and does not ask to try again', () => {
    const lost = Object.assign(new ListwatchError('STORE_UNAVAILABLE', 'x'), {
      outcome: 'unknown',
    });
    const error = mapped(lost, 'create');
    expect([error.httpStatus, error.reason, error.retryAfterMs]).to.deep.equal([
      504,
      'Timeout',
      undefined,
    ]);
    expect(error.message).to.include('not known whether it was carried out');
    const notSent = Object.assign(new ListwatchError('STORE_UNAVAILABLE', 'x'), {
      outcome: 'none',
    });
    expect(mapped(notSent, 'create').reason).to.equal('ServerTimeout');
  });

  it('makes anything else an internal error that keeps its cause', () => {
    const cause = new TypeError('x is not a function');
    const error = mapped(cause);
    expect([error.httpStatus, error.cause]).to.deep.equal([500, cause]);
  });
});
