import { expect } from 'chai';
import type { ApiHandler, ApiRequest } from '../../../../lib/server/http/api-request.ts';
import { textResponse } from '../../../../lib/server/http/responses/api-response.ts';
import {
  anyAuthenticator,
  bearerAuthenticator,
  withAuthentication,
} from '../../../../lib/server/access/authentication/authentication.ts';
import { apiRequest, call } from '../../api/support.ts';

const TOKEN = 'a-token-of-enough-length';

function guarded(): { readonly handler: ApiHandler; readonly seen: ApiRequest[] } {
  const seen: ApiRequest[] = [];
  const inner: ApiHandler = (request) => {
    seen.push(request);
    return Promise.resolve(textResponse(200, 'in'));
  };
  return { handler: withAuthentication(inner, bearerAuthenticator(TOKEN, 'me')), seen };
}

describe('authentication', () => {
  it('lets the holder of the token in, by name', async () => {
    const { handler, seen } = guarded();
    for (const authorization of [`Bearer ${TOKEN}`, `bearer   ${TOKEN}`]) {
      expect((await call(handler, 'GET', '/api', { headers: { authorization } })).text).to.equal(
        'in',
      );
    }
    expect(seen.map(({ user }) => user)).to.deep.equal(['me', 'me']);
  });

  it('answers all other requests with 401, and repeats nothing of them', async () => {
    const { handler, seen } = guarded();
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      TOKEN,
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN} x`,
      `Bearer ${TOKEN.slice(1)}`,
    ];
    for (const authorization of wrong) {
      const answer = await call(handler, 'GET', '/api', { headers: { authorization } });
      expect(answer.status, authorization).to.equal(401);
      expect(answer.json()).to.include({ reason: 'Unauthorized', code: 401 });
      expect(answer.text).not.to.contain(TOKEN.slice(1));
    }
    expect((await handler(apiRequest('GET', '/api'))).status).to.equal(401);
    expect(seen).to.have.length(0);
  });

  it('serves health checks without credentials, and nothing below their paths', async () => {
    const { handler, seen } = guarded();
    for (const path of ['/healthz', '/livez?verbose', '/readyz', '/version']) {
      expect((await call(handler, 'GET', path)).status, path).to.equal(200);
    }
    expect(new Set(seen.map(({ user }) => user))).to.deep.equal(new Set(['system:anonymous']));
    for (const path of ['/healthz/../api', '/version/x', '//version', '/apis/version']) {
      expect((await call(handler, 'GET', path)).status, path).to.equal(401);
    }
  });

  it('refuses wrong credentials everywhere, also where none are needed', async () => {
    const { handler, seen } = guarded();
    const headers = { authorization: 'Bearer wrong-wrong-wrong-wrong' };
    for (const path of ['/version', '/healthz', '/api']) {
      expect((await call(handler, 'GET', path, { headers })).status, path).to.equal(401);
    }
    expect(seen).to.have.length(0);
  });

  it('refuses tokens that can be guessed or cannot be sent, without printing them', () => {
    for (const token of ['', 'short', 'with a space in the middle', 'línea-línea-línea']) {
      expect(() => bearerAuthenticator(token, 'me'))
        .to.throw('option "token"')
        .with.property('code', 'INVALID_OPTION');
    }
    expect(() => bearerAuthenticator('secret', 'me'))
      .to.throw()
      .with.property('message')
      .that.does.not.contain('secret');
  });

  it('lets requests without a token in as anonymous ones, if that is wanted', async () => {
    const seen: ApiRequest[] = [];
    const inner: ApiHandler = (request) => {
      seen.push(request);
      return Promise.resolve(textResponse(200, 'in'));
    };
    const handler = withAuthentication(inner, bearerAuthenticator(TOKEN, 'me'), {
      anonymous: true,
    });
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await call(handler, 'GET', '/api', { headers })).status;
    const user = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
    for (const headers of [
      {},
      { authorization: 'Basic YTpi' },
      { authorization: 'Bearer' },
      user,
    ]) {
      expect(await status(headers)).to.equal(200);
      expect(seen.pop()?.identity).to.deep.equal({
        username: 'system:anonymous',
        groups: ['system:unauthenticated'],
      });
    }
    expect(await status({ authorization: `Bearer ${TOKEN}x` })).to.equal(401);
    expect(seen).to.deep.equal([]);
  });

  it('refuses credentials that one way refuses, unless another way accepts the request', async () => {
    const seen: ApiRequest[] = [];
    const inner: ApiHandler = (request) => {
      seen.push(request);
      return Promise.resolve(textResponse(200, 'in'));
    };
    const authenticate = anyAuthenticator([() => null, bearerAuthenticator(TOKEN, 'me')]);
    const handler = withAuthentication(inner, authenticate, { anonymous: true });
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await call(handler, 'GET', '/api', { headers })).status).to.equal(200);
    expect((await call(handler, 'GET', '/api')).status).to.equal(401);
    expect(seen.map((one) => one.user)).to.deep.equal(['me']);
  });
});
