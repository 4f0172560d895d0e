import { expect } from 'chai';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { connectionFailure } from '../../../../lib/client/transport/connection/connection-failure.ts';

const TARGET = { server: 'https://api', method: 'GET', path: '/api?token=x' };

function systemError(code: string, message: string = code): Error {
  return Object.assign(new Error(message), { code });
}

describe('connectionFailure', () => {
  it('finds a refused connection in causes and among several addresses', () => {
    const several = new AggregateError([
      systemError('ENETUNREACH', 'connect ENETUNREACH ::1'),
      systemError('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
    ]);
    const error = connectionFailure(new Error('outer', { cause: several }), TARGET);
    expect(error.code).to.equal('CONNECTION_REFUSED');
    expect(error.message).to.contain('ENETUNREACH ::1; connect ECONNREFUSED 127.0.0.1:1');
    expect(error.url).to.equal('https://api/api');
  });

  it('says what to do, by the kind of failure', () => {
    const remedies: Record<string, string> = {
      ENOTFOUND: 'cannot be resolved',
      EHOSTUNREACH: 'cannot be reached',
      ECONNRESET: 'the connection broke',
      EPROTO: 'does not speak TLS',
      HPE_INVALID_CONSTANT: 'does not speak HTTP/1.1',
      CERT_HAS_EXPIRED: 'has expired',
      SOMETHING_ELSE: 'the connection failed: SOMETHING_ELSE',
    };
    for (const [code, text] of Object.entries(remedies)) {
      expect(connectionFailure(systemError(code), TARGET).message, code).to.contain(text);
    }
  });

  it('keeps code and message of the cause, and none of its other fields', () => {
    const library = Object.assign(systemError('EPIPE', 'write EPIPE'), {
      config: { headers: { authorization: 'Bearer canary' } },
    });
    const { cause } = connectionFailure(library, TARGET);
    expect(cause).to.include({ message: 'write EPIPE', code: 'EPIPE' });
    expect(cause).not.to.have.property('config');
  });

  it('accepts cycles of causes, and values that are not errors', () => {
    const circle: Error & { cause?: unknown } = new Error('round');
    circle.cause = circle;
    expect(connectionFailure(circle, TARGET).message).to.contain('round');
    for (const thrown of [undefined, null, 'text', 7]) {
      expect(connectionFailure(thrown, TARGET).code).to.equal('CONNECTION_FAILED');
    }
  });

  it('keeps code and text of the error of a proxy, at any depth', () => {
    const cause = systemError('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.9:3128');
    const proxy = new ListwatchError('PROXY', 'no tunnel to api:6443', { cause });
    for (const error of [
      proxy,
      new Error('outer', { cause: new Error('inner', { cause: proxy }) }),
    ]) {
      const found = connectionFailure(error, TARGET);
      expect(found).to.include({
        code: 'PROXY',
        message: 'GET https://api/api: no tunnel to api:6443',
      });
      expect(found.cause).to.equal(cause);
    }
  });
});
