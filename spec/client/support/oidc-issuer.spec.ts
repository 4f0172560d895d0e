import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { expect } from 'chai';
import { OidcIssuer } from './oidc-issuer.ts';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

async function get<T>(url: string): Promise<T> {
  return (await (await fetch(url, { headers: { connection: 'close' } })).json()) as T;
}

async function refresh(issuer: OidcIssuer, form: Record<string, string>): Promise<Answer> {
  const { token_endpoint: endpoint } = await get<{ token_endpoint: string }>(
    `${issuer.url}/.well-known/openid-configuration`,
  );
  const response = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', ...form }),
    headers: { connection: 'close' },
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

describe('OidcIssuer', () => {
  const client = (issuer: OidcIssuer): Record<string, string> => ({
    client_id: issuer.clientId,
    client_secret: issuer.clientSecret,
  });

  it('signs ID tokens with the key that it publishes', async () => {
    await using issuer = await OidcIssuer.start();
    const [head, payload, signature = ''] = issuer.newIdToken().split('.');
    const { keys } = await get<{ keys: JsonWebKey[] }>(`${issuer.url}/keys`);
    const key = createPublicKey({ key: keys[0]!, format: 'jwk' });
    const text = Buffer.from(`${head}.${payload}`);
    const bytes = Buffer.from(signature, 'base64url');
    expect(verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, bytes)).to.equal(true);
  });

  it('gives an ID token for a refresh token that it issued, and refuses others', async () => {
    await using issuer = await OidcIssuer.start();
    const token = issuer.newRefreshToken();
    const { status, body } = await refresh(issuer, { ...client(issuer), refresh_token: token });
    expect(status).to.equal(200);
    expect(issuer.accepts(body['id_token']!)).to.equal(true);
    issuer.revokeIdTokens();
    expect(issuer.accepts(body['id_token']!)).to.equal(false);
    issuer.revokeRefreshTokens();
    const refused = await refresh(issuer, { ...client(issuer), refresh_token: token });
    expect(refused.body['error']).to.equal('invalid_grant');
    const stranger = await refresh(issuer, { client_id: 'stranger', refresh_token: token });
    expect([stranger.status, stranger.body['error']]).to.deep.equal([401, 'invalid_client']);
    expect(issuer.tokenRequests.map((one) => one.clientAuthentication)).to.deep.equal([
      'post',
      'post',
      'post',
    ]);
  });

  it('refuses a refresh token that it has replaced', async () => {
    await using issuer = await OidcIssuer.start();
    issuer.rotatesRefreshTokens = true;
    const token = issuer.newRefreshToken();
    const first = await refresh(issuer, { ...client(issuer), refresh_token: token });
    const second = await refresh(issuer, { ...client(issuer), refresh_token: token });
    expect([first.status, second.status]).to.deep.equal([200, 400]);
    const next = { ...client(issuer), refresh_token: first.body['refresh_token']! };
    expect((await refresh(issuer, next)).status).to.equal(200);
  });

  it('accepts no token that has expired by its clock', async () => {
    await using issuer = await OidcIssuer.start();
    let nowMs = 1_000_000;
    issuer.now = () => nowMs;
    issuer.tokenLifeMs = 60_000;
    const token = issuer.newIdToken();
    expect(issuer.accepts(token)).to.equal(true);
    nowMs += 60_000;
    expect(issuer.accepts(token)).to.equal(false);
  });
});
