import { expect } from 'chai';
import { oidcCredentials } from '../../../../../lib/client/config/credentials/oidc/oidc-credentials.ts';
import type {
  OidcOptions,
  RefreshedTokens,
} from '../../../../../lib/client/config/credentials/oidc/oidc-options.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../../../lib/client/transport/contract/credential.ts';
import { deferred } from '../../../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { until } from '../../../../support/until.ts';
import { failureOf, rejectionOf, thrownBy } from '../../../support/failure-of.ts';
import { OidcIssuer } from '../../../support/oidc-issuer.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { TestAuthority } from '../../../support/test-authority.ts';

const HOUR_MS = 3_600_000;
const SOURCE = 'the OIDC login of user dev in kc';

describe('oidcCredentials', () => {
  let issuer: OidcIssuer;
  let runtime: VirtualRuntime;
  let logger: RecordedLog;

  beforeEach(async () => {
    issuer = await OidcIssuer.start();
    runtime = new VirtualRuntime({ startWallMs: Date.UTC(2026, 0, 1) });
    issuer.now = () => runtime.wallMs();
    logger = new RecordedLog();
  });
  afterEach(async () => {
    await issuer[Symbol.asyncDispose]();
  });

  const login = (options: Partial<OidcOptions> = {}): CredentialSource => {
    const { url: issuerUrl, clientId, clientSecret } = issuer;
    return oidcCredentials({
      source: SOURCE,
      issuerUrl,
      clientId,
      clientSecret,
      refreshToken: issuer.newRefreshToken(),
      runtime,
      logger,
      ...options,
    });
  };
  const tokenOf = async (source: CredentialSource): Promise<string> =>
    ((await source.current()).authorization ?? '').replace('Bearer ', '');
  const currentFailure = async (source: CredentialSource): Promise<string> => {
    const error = await failureOf((async () => await source.current())());
    expect(error.code).to.equal('OIDC');
    expect(error.message).to.match(/^the OIDC login of user dev in kc: [^\n]+$/);
    return error.message.slice(SOURCE.length + 2).replaceAll(issuer.url, 'ISSUER');
  };

  describe('with an ID token', () => {
    it('asks the issuer for nothing until ten seconds before the token expires', async () => {
      const idToken = issuer.newIdToken();
      const source = login({ idToken });
      const first = source.current();
      expect(first, 'without a promise').to.be.instanceOf(Credential);
      expect(first).to.include({ authorization: `Bearer ${idToken}`, source: SOURCE });
      await runtime.advance(HOUR_MS - 10_001);
      expect(source.current()).to.equal(first);
      expect(issuer.discoveries).to.equal(0);
      await runtime.advance(1);
      expect(await tokenOf(source)).not.to.equal(idToken);
      expect([issuer.discoveries, issuer.tokenRequests.length]).to.deep.equal([1, 1]);
    });

    it('uses it to its end if there is no refresh token, and says then what to do', async () => {
      const idToken = issuer.newIdToken();
      const source = login({ idToken, refreshToken: undefined });
      await runtime.advance(HOUR_MS - 1);
      expect(await tokenOf(source)).to.equal(idToken);
      await runtime.advance(1);
      expect(await currentFailure(source)).to.equal(
        'the id-token expired on 2026-01-01T01:00:00Z and there is no refresh-token; log in again with the tool that wrote the token',
      );
      expect(issuer.discoveries).to.equal(0);
    });

    it('uses a token without an expiry until the server rejects it', async () => {
      const source = login({ idToken: issuer.newIdToken({ exp: undefined }) });
      const first = source.current() as Credential;
      await runtime.advance(1_000 * HOUR_MS);
      expect(source.current()).to.equal(first);
      const next = await source.refresh?.(first);
      expect(issuer.accepts(next!.authorization!.slice(7))).to.equal(true);
    });

    it('refreshes a token that is not a JSON Web Token, with a warning', async () => {
      const source = login({ idToken: 'opaque' });
      expect(issuer.accepts(await tokenOf(source))).to.equal(true);
      expect(logger.warnings[0]).to.contain('not a JSON Web Token');
    });

    it('says that there is none, or that it is not one, without a refresh token', async () => {
      expect(await currentFailure(login({ refreshToken: undefined }))).to.match(
        /^there is no id-token and there is no refresh-token; log in again/,
      );
      const opaque = login({ idToken: 'opaque', refreshToken: '' });
      expect(await currentFailure(opaque)).to.match(/^the id-token is not a JSON Web Token and/);
    });
  });

  describe('refreshes', () => {
    it('with the client in the header, percent-encoded', async () => {
      issuer.clientAuthentication = 'basic';
      const refreshToken = issuer.newRefreshToken();
      const source = login({ refreshToken });
      expect(issuer.accepts(await tokenOf(source))).to.equal(true);
      expect(issuer.tokenRequests).to.have.length(1);
      const { clientAuthentication, form } = issuer.tokenRequests[0]!;
      expect(clientAuthentication).to.equal('basic');
      expect(Object.fromEntries(form)).to.deep.equal({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
    });

    it('with the client in the form if the issuer refuses the header, and remembers it', async () => {
      issuer.clientAuthentication = 'post';
      const source = login();
      await tokenOf(source);
      const seen = (): string[] => issuer.tokenRequests.map((one) => one.clientAuthentication);
      expect(seen()).to.deep.equal(['basic', 'post']);
      await runtime.advance(HOUR_MS);
      await tokenOf(source);
      expect(seen()).to.deep.equal(['basic', 'post', 'post']);
      expect(issuer.discoveries, 'the token endpoint is known').to.equal(1);
    });

    it('for a public client, which presents no secret', async () => {
      await using open = await OidcIssuer.start({ clientSecret: '' });
      open.now = () => runtime.wallMs();
      const source = login({
        issuerUrl: open.url,
        clientSecret: undefined,
        refreshToken: open.newRefreshToken(),
      });
      expect(open.accepts(await tokenOf(source))).to.equal(true);
      expect(open.tokenRequests.map((one) => one.clientAuthentication)).to.deep.equal(['post']);
      expect([...open.tokenRequests[0]!.form.keys()]).not.to.include('client_secret');
    });

    it('with the refresh token of the last answer', async () => {
      issuer.rotatesRefreshTokens = true;
      const source = login();
      for (const round of [1, 2, 3]) {
        expect(issuer.accepts(await tokenOf(source)), `round ${round}`).to.equal(true);
        await runtime.advance(HOUR_MS);
      }
      expect(
        new Set(issuer.tokenRequests.map(({ form }) => form.get('refresh_token'))).size,
      ).to.equal(3);
    });

    it('once for a thousand simultaneous requests', async () => {
      const source = login();
      const all = await Promise.all(
        Array.from({ length: 1_000 }, async () => await source.current()),
      );
      expect(new Set(all).size).to.equal(1);
      expect([issuer.discoveries, issuer.tokenRequests.length]).to.deep.equal([1, 1]);
      expect(source.current(), 'without a promise').to.equal(all[0]);
    });

    it('to the end even if the request that waits for it is aborted', async () => {
      issuer.rotatesRefreshTokens = true;
      const hold = deferred<void>();
      issuer.holdUntil = hold.promise;
      const source = login();
      const abort = new AbortController();
      const waiting = rejectionOf((async () => await source.current(abort.signal))());
      await until('the issuer is asked', () => issuer.tokenRequests.length === 1);
      const reason = new Error('stopped');
      abort.abort(reason);
      expect(await waiting).to.equal(reason);
      hold.resolve();
      expect(issuer.accepts(await tokenOf(source))).to.equal(true);
      expect(issuer.tokenRequests).to.have.length(1);
    });

    it('leaving no connection and no timer behind', async () => {
      await tokenOf(login());
      await until('the client has closed its connections', () => issuer.closedByClient === 2);
      expect(issuer.connections).to.equal(2);
      // The reader of a body has a task, which is not a timer.
      await runtime.advance(0);
      expect(runtime.pending).to.equal(0);
    });

    it('over https with the authority of the configuration, and says what lacks otherwise', async () => {
      const authority = new TestAuthority();
      const { certificate: cert, privateKey: key } = authority.server();
      await using secure = await OidcIssuer.start({ tls: { cert, key } });
      secure.now = () => runtime.wallMs();
      const options = { issuerUrl: secure.url, refreshToken: secure.newRefreshToken() };
      const source = login({ ...options, ca: () => authority.certificate });
      expect(secure.accepts(await tokenOf(source))).to.equal(true);
      const message = await currentFailure(login(options));
      expect(message).to.contain('is not accepted').and.to.contain('idp-certificate-authority');
    });

    it('through the proxy of the address', async () => {
      const asked: string[] = [];
      const source = login({
        proxyFor: (url) => {
          asked.push(url);
          return 'http://127.0.0.1:1';
        },
      });
      const message = await currentFailure(source);
      expect(asked).to.deep.equal([new URL(issuer.url).origin]);
      expect(message).to.contain('cannot be asked').and.to.contain('127.0.0.1:1');
      expect(issuer.connections).to.equal(0);
    });
  });

  describe('after a 401', () => {
    it('refreshes a token that still seems valid', async () => {
      const source = login({ idToken: issuer.newIdToken() });
      const rejected = source.current() as Credential;
      issuer.revokeIdTokens();
      const next = await source.refresh?.(rejected);
      expect(issuer.accepts(next!.authorization!.slice(7))).to.equal(true);
      expect(source.current()).to.equal(next);
      expect(await source.refresh?.(rejected), 'it is known already').to.equal(next);
      expect(issuer.tokenRequests).to.have.length(1);
    });

    it('refreshes a token that seems valid because the clock was set back', async () => {
      issuer.tokenLifeMs = 60_000;
      const idToken = issuer.newIdToken();
      const issuerStartMs = runtime.wallMs();
      // The clock of the issuer goes on; the one of this machine stays behind.
      issuer.now = () => issuerStartMs + HOUR_MS;
      const source = login({ idToken });
      const rejected = source.current() as Credential;
      expect(issuer.accepts(idToken)).to.equal(false);
      const next = await source.refresh?.(rejected);
      expect(issuer.accepts(next!.authorization!.slice(7))).to.equal(true);
    });

    it('has no other token without a refresh token', async () => {
      const source = login({ idToken: issuer.newIdToken(), refreshToken: undefined });
      expect(await source.refresh?.(source.current() as Credential)).to.equal(undefined);
    });

    it('refreshes a token only when it is five seconds old', async () => {
      const source = login();
      const rejected = await source.current();
      expect(await source.refresh?.(rejected)).to.equal(undefined);
      await runtime.advance(4_999);
      expect(await source.refresh?.(rejected)).to.equal(undefined);
      expect(issuer.tokenRequests).to.have.length(1);
      await runtime.advance(1);
      expect(await source.refresh?.(rejected)).not.to.equal(undefined);
      expect(issuer.tokenRequests).to.have.length(2);
    });

    it('shares one refresh among a thousand requests', async () => {
      const source = login({ idToken: issuer.newIdToken() });
      const rejected = source.current() as Credential;
      const all = await Promise.all(
        Array.from({ length: 1_000 }, async () => await source.refresh?.(rejected)),
      );
      expect(new Set(all).size).to.equal(1);
      expect(issuer.tokenRequests).to.have.length(1);
    });
  });

  describe('when the issuer fails', () => {
    it('repeats a refresh after a second at the earliest', async () => {
      issuer.token = { kind: 'answer', status: 503, body: 'busy' };
      const source = login();
      const first = await currentFailure(source);
      expect(first).to.equal('the issuer cannot refresh the token now (HTTP 503); try again later');
      for (let call = 0; call < 1_000; call += 1)
        expect(await currentFailure(source)).to.equal(first);
      await runtime.advance(999);
      await currentFailure(source);
      expect(issuer.tokenRequests).to.have.length(1);
      issuer.token = undefined;
      await runtime.advance(1);
      expect(issuer.accepts(await tokenOf(source))).to.equal(true);
      expect(issuer.discoveries, 'the token endpoint may have moved').to.equal(2);
    });

    it('uses the old token until it has expired', async () => {
      const idToken = issuer.newIdToken();
      const source = login({ idToken });
      issuer.discovery = { kind: 'answer', status: 502, body: '' };
      await runtime.advance(HOUR_MS - 5_000);
      expect(await tokenOf(source)).to.equal(idToken);
      await runtime.advance(1_000);
      expect(await tokenOf(source)).to.equal(idToken);
      expect(issuer.discoveries).to.equal(2);
      expect(logger.warnings, 'once for one error').to.have.length(1);
      expect(logger.warnings[0]).to.contain('used until it expires').and.to.contain('HTTP 502');
      await runtime.advance(4_000);
      expect(await currentFailure(source)).to.equal(
        'ISSUER/.well-known/openid-configuration answered HTTP 502; check idp-issuer-url',
      );
    });

    it('says that nothing listens there', async () => {
      const url = 'http://127.0.0.1:1/realm';
      expect(await currentFailure(login({ issuerUrl: url }))).to.equal(
        `nothing listens at ${url}/.well-known/openid-configuration; check idp-issuer-url`,
      );
    });

    it('ends the wait for an issuer that hangs', async () => {
      issuer.discovery = { kind: 'hang' };
      const waiting = currentFailure(login());
      await until('the issuer is asked', () => issuer.discoveries === 1);
      await runtime.advance(20_000);
      expect(await waiting).to.equal(
        'ISSUER/.well-known/openid-configuration did not answer in time; check idp-issuer-url and the network',
      );
      expect(runtime.pending).to.equal(0);
    });

    it('ends the wait for a token endpoint that hangs', async () => {
      issuer.token = { kind: 'hang' };
      const waiting = currentFailure(login());
      await until('the issuer is asked', () => issuer.tokenRequests.length === 1);
      await runtime.advance(20_000);
      expect(await waiting).to.match(/^ISSUER\/token did not answer in time/);
    });

    it('follows no redirect', async () => {
      issuer.discovery = { kind: 'redirect', to: `${issuer.url}/elsewhere` };
      expect(await currentFailure(login())).to.equal(
        'ISSUER/.well-known/openid-configuration answers with a redirect, which is not followed; set idp-issuer-url to the final address',
      );
      issuer.discovery = undefined;
      issuer.token = { kind: 'redirect', to: `${issuer.url}/token` };
      expect(await currentFailure(login())).to.match(/^ISSUER\/token answers with a redirect/);
      expect(issuer.tokenRequests).to.have.length(1);
    });

    it('refuses an answer of more than 1 MiB', async () => {
      const body = JSON.stringify({ x: 'x'.repeat(1_048_576) });
      issuer.discovery = { kind: 'answer', status: 200, body };
      expect(await currentFailure(login())).to.contain('is larger than 1 MiB');
      issuer.discovery = undefined;
      issuer.token = { kind: 'answer', status: 200, body };
      expect(await currentFailure(login())).to.contain('is larger than 1 MiB');
    });

    it('refuses an answer that is not JSON', async () => {
      for (const body of ['<html>', '[]', 'null', '']) {
        issuer.discovery = { kind: 'answer', status: 200, body };
        expect(await currentFailure(login())).to.equal(
          'ISSUER/.well-known/openid-configuration answered something that is not JSON; check idp-issuer-url',
        );
      }
      issuer.discovery = undefined;
      issuer.token = { kind: 'answer', status: 200, body: '<html>' };
      expect(await currentFailure(login())).to.equal(
        'the token endpoint answered something that is not JSON; check idp-issuer-url',
      );
    });

    it('refuses the document of another issuer, but not for a slash at its end', async () => {
      issuer.discoveryFields = { issuer: 'https://evil.example' };
      expect(await currentFailure(login())).to.equal(
        'ISSUER/.well-known/openid-configuration describes https://evil.example; set idp-issuer-url to its own issuer URL',
      );
      issuer.discoveryFields = { issuer: 7 };
      expect(await currentFailure(login())).to.contain('describes no issuer');
      issuer.discoveryFields = {};
      expect(issuer.accepts(await tokenOf(login({ issuerUrl: `${issuer.url}/` })))).to.equal(true);
    });

    it('sends the refresh token to no endpoint in plain text', async () => {
      for (const endpoint of ['http://idp.example/token', 'ftp://idp.example/token']) {
        issuer.discoveryFields = { token_endpoint: endpoint };
        expect(await currentFailure(login())).to.contain('is not https');
      }
      for (const endpoint of [undefined, 7, 'token']) {
        issuer.discoveryFields = { token_endpoint: endpoint };
        expect(await currentFailure(login())).to.contain('has no token_endpoint');
      }
    });

    it('says that the refresh token was refused, after one request', async () => {
      const refreshToken = issuer.newRefreshToken();
      issuer.revokeRefreshTokens();
      expect(await currentFailure(login({ refreshToken }))).to.equal(
        'the issuer refused the refresh token (invalid_grant: Token [hidden] is not active); log in again with the tool that wrote the token',
      );
      expect(issuer.tokenRequests).to.have.length(1);
    });

    it('says that the client was refused', async () => {
      expect(await currentFailure(login({ clientSecret: 'wrong' }))).to.equal(
        'the issuer refused the client listwatch-spec (invalid_client); correct client-id and client-secret',
      );
    });

    it('says that the answer has no ID token, or a useless one', async () => {
      issuer.givesIdToken = false;
      expect(await currentFailure(login())).to.match(/^the issuer gave no id_token; log in again/);
      for (const idToken of ['opaque', 'a.b.c', 'x'.repeat(100_000)]) {
        issuer.token = { kind: 'answer', status: 200, body: JSON.stringify({ id_token: idToken }) };
        expect(await currentFailure(login())).to.contain('is not a JSON Web Token');
      }
    });

    it('keeps the new refresh token of an answer whose ID token is of no use', async () => {
      const next = issuer.newRefreshToken();
      const body = JSON.stringify({ id_token: 'opaque', refresh_token: next });
      issuer.token = { kind: 'answer', status: 200, body };
      const source = login();
      await currentFailure(source);
      issuer.token = undefined;
      await runtime.advance(1_000);
      await tokenOf(source);
      expect(issuer.tokenRequests.at(-1)!.form.get('refresh_token')).to.equal(next);
    });

    it('uses a new token that has expired by the local clock for five seconds, with a warning', async () => {
      issuer.now = () => runtime.wallMs() - 2 * HOUR_MS;
      const source = login();
      const first = await source.current();
      await runtime.advance(4_999);
      expect(source.current()).to.equal(first);
      expect(issuer.tokenRequests).to.have.length(1);
      expect(logger.warnings[0]).to.contain("check this machine's clock");
      await runtime.advance(1);
      expect(await source.current()).not.to.equal(first);
    });
  });

  describe('with persist', () => {
    it('passes the tokens on, with the refresh token that was used', async () => {
      issuer.rotatesRefreshTokens = true;
      const written: RefreshedTokens[] = [];
      const refreshToken = issuer.newRefreshToken();
      const source = login({
        refreshToken,
        persist: async (tokens) => {
          written.push(tokens);
        },
      });
      const idToken = await tokenOf(source);
      expect(written).to.have.length(1);
      expect(written[0]).to.include({ idToken, usedRefreshToken: refreshToken });
      expect(written[0]!.refreshToken)
        .to.match(/^refresh-/)
        .and.not.to.equal(refreshToken);
    });

    it('goes on with the token when it fails or hangs, with a warning', async () => {
      const failing = login({
        persist: async () => {
          throw new Error('the disk is full');
        },
      });
      expect(issuer.accepts(await tokenOf(failing))).to.equal(true);
      expect(logger.warnings[0]).to.contain('stay in memory').and.to.contain('the disk is full');
      const called = deferred<void>();
      const hanging = login({
        persist: async () => {
          called.resolve();
          await new Promise<never>(() => {});
        },
      });
      const token = tokenOf(hanging);
      await called.promise;
      await runtime.advance(10_000);
      expect(issuer.accepts(await token)).to.equal(true);
      expect(logger.warnings[1]).to.contain('gave up after 10000 ms');
    });
  });

  it('refuses an issuer URL and a client that cannot be used', () => {
    const message = (options: Partial<OidcOptions>): string => {
      const error = thrownBy(() => login(options));
      expect(error.code).to.equal('CONFIG_INVALID');
      return error.message.slice(SOURCE.length + 2);
    };
    expect(message({ issuerUrl: '' })).to.contain('idp-issuer-url is missing');
    expect(message({ issuerUrl: 'idp.example' })).to.contain('is not a URL');
    expect(message({ issuerUrl: 'http://idp.example' })).to.contain('is not https');
    expect(message({ issuerUrl: 'ftp://localhost' })).to.contain('is not https');
    expect(message({ issuerUrl: 'https://canary:x@idp.example' })).to.equal(
      'idp-issuer-url has a user or a password; remove them',
    );
    expect(message({ issuerUrl: 'https://idp.example?x=canary' })).to.contain('a query');
    expect(message({ clientId: '' })).to.contain('client-id is missing');
    expect(message({ idToken: 'canary canary' })).to.equal(
      'id-token has spaces or characters that cannot stand in a header',
    );
  });
});
