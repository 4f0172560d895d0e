import { expect } from 'chai';
import type { ApiHandler, ApiRequest } from '../../../../lib/server/api/http/api-request.ts';
import { textResponse } from '../../../../lib/server/api/http/api-response.ts';
import {
  bearerAuthenticator,
  withAuthentication,
} from '../../../../lib/server/api/http/authentication.ts';
import { apiRequest, call } from '../support.ts';

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
});
