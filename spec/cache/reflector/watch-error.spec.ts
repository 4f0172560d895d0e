import { expect } from 'chai';
import {
  classifyFailure,
  isConnectionRefused,
  remedyOf,
} from '../../../lib/cache/reflector/watch-error.ts';
import { ListwatchError } from '../../../lib/kernel/errors.ts';
import { ApiError, failure } from '../../../lib/meta/api-error.ts';
import {
  expired,
  forbidden,
  internalError,
  notFound,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../../../lib/meta/failures.ts';

const coded = (code: string): Error => Object.assign(new Error(code), { code });
const things = { group: '', resource: 'things' };

describe('classifyFailure', () => {
  const bare410 = new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 410,
  });
  const oldTooLarge = failure('Timeout', 'Too large resource version: 9, current: 1', {
    details: { causes: [{ message: 'Too large resource version' }] },
  });
  const circle: { cause?: unknown } = {};
  circle.cause = circle;
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['reason Expired', expired('old'), 'expired'],
    ['reason Gone', failure('Gone', 'gone'), 'gone'],
    ['a bare 410', bare410, 'expired'],
    ['a version ahead of the server', tooLargeResourceVersion('9', '1'), 'too-large'],
    ['the same in the words of older servers', oldTooLarge, 'too-large'],
    ['429', tooManyRequests('busy', 1), 'too-many-requests'],
    ['a refused streaming list', failure('Invalid', 'sendInitialEvents: Forbidden'), 'invalid'],
    ['an internal error', internalError('boom'), 'other'],
    ['an object that cannot be decoded', failure('StorageReadError', 'bad'), 'other'],
    ['503', failure('ServiceUnavailable', 'not ready'), 'other'],
    ['ECONNREFUSED', coded('ECONNREFUSED'), 'connection-refused'],
    [
      'ECONNREFUSED as a cause',
      new Error('x', { cause: coded('ECONNREFUSED') }),
      'connection-refused',
    ],
    [
      'ECONNREFUSED of one of several addresses',
      new Error('fetch failed', {
        cause: new AggregateError([coded('ETIMEDOUT'), coded('ECONNREFUSED')]),
      }),
      'connection-refused',
    ],
    [
      'a refused connection of the transport',
      new ListwatchError('CONNECTION_REFUSED', 'x'),
      'connection-refused',
    ],
    ['a reset connection', coded('ECONNRESET'), 'connection-lost'],
    ['an unknown host', new Error('x', { cause: coded('ENOTFOUND') }), 'connection-lost'],
    ['an idle stream', new ListwatchError('STREAM_IDLE', 'x'), 'connection-lost'],
    [
      'a missing end bookmark',
      new ListwatchError('WATCH_LIST_INCOMPLETE', 'x'),
      'bookmark-overdue',
    ],
    ['a wrong certificate', new ListwatchError('CERTIFICATE', 'x'), 'other'],
    ['a circle of causes', circle, 'other'],
    ['a string', 'no', 'other'],
    ['nothing', undefined, 'other'],
  ];
  for (const [title, error, kind] of cases) {
    it(`takes ${title} for ${kind}`, () => {
      expect(classifyFailure(error).kind).to.equal(kind);
      expect(classifyFailure(error).message).to.be.a('string').that.is.not.equal('');
    });
  }

  it('carries how long the server asks to wait, and never a negative time', () => {
    expect(classifyFailure(tooManyRequests('busy', 7)).retryAfterMs).to.equal(7000);
    expect(classifyFailure(tooManyRequests('busy', -7)).retryAfterMs).to.equal(0);
    expect(classifyFailure(new Error('x')).retryAfterMs).to.equal(0);
  });

  it('does not look for ever through causes', () => {
    let deep: Error = coded('ECONNREFUSED');
    for (let level = 0; level < 100; level += 1) deep = new Error('x', { cause: deep });
    expect(isConnectionRefused(deep)).to.equal(false);
  });
});

describe('remedyOf', () => {
  it('says what a person can do', () => {
    expect(remedyOf(forbidden(things, '', 'no'))).to.include('verbs list and watch');
    expect(remedyOf(notFound(things, 'x'))).to.include('CustomResourceDefinition');
    expect(remedyOf(failure('Unauthorized', 'who'))).to.include('credentials');
    expect(remedyOf(new ListwatchError('CERTIFICATE', 'x'))).to.include('certificate-authority');
    expect(remedyOf(coded('ECONNREFUSED'))).to.include('is the API server running');
    expect(remedyOf(new Error('x'))).to.equal('');
  });
});
