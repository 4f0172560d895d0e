import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo, type LookupFunction } from 'node:net';
import { expect } from 'chai';
import {
  classifyFailure,
  isConnectionRefused,
} from '../../../../lib/cache/reflector/failure/watch-error.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { ApiError, failure } from '../../../../lib/meta/failure/api-error.ts';
import {
  expired,
  internalError,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../../../../lib/meta/failure/failures.ts';
import { revokedProxy } from '../../../support/hostile-values.ts';

const coded = (code: string): Error => Object.assign(new Error(code), { code });

describe('classifyFailure', () => {
  const bare = (code: number): ApiError =>
    new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code });
  const oldTooLarge = failure('Timeout', 'Too large resource version: 9, current: 1', {
    details: { causes: [{ message: 'Too large resource version' }] },
  });
  const causeTooLarge = failure('Timeout', 'too large resource version', {
    details: { causes: [{ message: 'Too large resource version' }] },
  });
  const oldestTooLarge = failure('Timeout', 'Too large resource version', {
    details: { retryAfterSeconds: 1 },
  });
  const circle: { cause?: unknown } = {};
  circle.cause = circle;
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['reason Expired', expired('old'), 'expired'],
    ['reason Gone', failure('Gone', 'gone'), 'gone'],
    ['a bare 410', bare(410), 'expired'],
    ['a version ahead of the server', tooLargeResourceVersion('9', '1'), 'too-large'],
    ['the same in the words of older servers', oldTooLarge, 'too-large'],
    ['the same in a cause of older servers', causeTooLarge, 'too-large'],
    ['the same in the message of the oldest servers', oldestTooLarge, 'too-large'],
    ['what cannot be read', revokedProxy(), 'other'],
    ['429', tooManyRequests('busy', 1), 'too-many-requests'],
    ['a refused streaming list', failure('Invalid', 'sendInitialEvents: Forbidden'), 'invalid'],
    ['a bad selector', failure('BadRequest', 'field label not supported: spec.x'), 'invalid'],
    ['a selector of a bad syntax', new ListwatchError('INVALID_SELECTOR', 'x'), 'invalid'],
    ['a verb that is not offered', failure('MethodNotAllowed', 'no'), 'unsupported'],
    ['a format that is not offered', failure('NotAcceptable', 'no'), 'unsupported'],
    ['a type of body that is not taken', failure('UnsupportedMediaType', 'no'), 'unsupported'],
    ['an internal error', internalError('boom'), 'internal'],
    ['500 without a reason', bare(500), 'internal'],
    ['an object that cannot be decoded', failure('StorageReadError', 'bad'), 'other'],
    ['503', failure('ServiceUnavailable', 'not ready'), 'unavailable'],
    ['504 that is no version ahead of the server', failure('Timeout', 'slow'), 'unavailable'],
    ['502 of a proxy', bare(502), 'unavailable'],
    ['a stream that went back', new ListwatchError('RESOURCE_VERSION_WENT_BACK', 'x'), 'went-back'],
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

  it('stops in a cycle of causes', () => {
    let deep: Error = coded('ECONNREFUSED');
    for (let level = 0; level < 100; level += 1) deep = new Error('x', { cause: deep });
    expect(isConnectionRefused(deep)).to.equal(false);
  });
});

/** The error of Node itself when no program listens. */
describe('classifyFailure of a port without a listener', () => {
  let port = 0;

  before(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    server.close();
    await once(server, 'close');
  });

  const ofRequest = async (lookup?: LookupFunction): Promise<unknown> => {
    const sent = request({
      host: lookup === undefined ? '127.0.0.1' : 'two.example',
      port,
      ...(lookup === undefined ? {} : { lookup, autoSelectFamily: true }),
    });
    sent.end();
    const [error] = (await once(sent, 'error').catch((thrown: unknown) => [thrown])) as [unknown];
    return error;
  };

  it('is a refused connection for one address', async () => {
    const { kind, message } = classifyFailure(await ofRequest());
    expect(kind).to.equal('connection-refused');
    expect(message).to.equal(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  it('is a refused connection for several addresses, and says which were tried', async () => {
    const error = await ofRequest((_name, _options, callback) => {
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]);
    });
    expect(error).to.be.an.instanceOf(AggregateError).with.property('message', '');
    const { kind, message } = classifyFailure(error);
    expect(kind).to.equal('connection-refused');
    expect(message).to.include(`127.0.0.1:${port}`).and.to.include(`127.0.0.2:${port}`);
  });

  it('is a refused connection for fetch, which hides it in a cause', async () => {
    const error: unknown = await fetch(`http://127.0.0.1:${port}/`).catch(
      (thrown: unknown) => thrown,
    );
    const { kind, message } = classifyFailure(error);
    expect(kind).to.equal('connection-refused');
    expect(message).to.equal(`fetch failed: connect ECONNREFUSED 127.0.0.1:${port}`);
  });
});
