import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions } from 'node:https';
import { json, RawServer } from './raw-server.ts';

/** The fault of an endpoint in place of its work. */
export type Misbehaviour =
  | { readonly kind: 'hang' }
  | { readonly kind: 'redirect'; readonly to: string }
  /** Any status and body. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string };

export interface OidcIssuerOptions {
  /** Serves https with this certificate. @defaultValue http */
  readonly tls?: ServerOptions | undefined;
  /** The path of the issuer. @defaultValue '/realms/spec' */
  readonly path?: string | undefined;
  /** @defaultValue 'listwatch-spec' */
  readonly clientId?: string | undefined;
  /** An empty one is that of a public client. @defaultValue 'client secret & more' */
  readonly clientSecret?: string | undefined;
}

/** A request of the token endpoint. */
export interface SeenTokenRequest {
  /** `basic`: the client is in the header; `post`: it is in the body. */
  readonly clientAuthentication: 'basic' | 'post';
  readonly form: ReadonlyMap<string, string>;
}

/**
 * A small OpenID Connect issuer on the loopback: discovery, keys, and a token endpoint for the grant `refresh_token`. Its ID tokens
 * are signed (ES256). It keeps count, and misbehaves on command.
 */
export class OidcIssuer implements AsyncDisposable {
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the client may present itself. */
  clientAuthentication: 'basic' | 'post' | 'both' = 'both';
  /** The life of an ID token, milliseconds. */
  tokenLifeMs = 3_600_000;
  /** The clock of the issuer. */
  now: () => number = Date.now;
  /** Whether each refresh gives a new refresh token and the old one is refused from then on. */
  rotatesRefreshTokens = false;
  /** Whether the answer to a refresh has an ID token. */
  givesIdToken = true;
  /** The answer to a refresh is held until this has settled. */
  holdUntil: Promise<unknown> | undefined;
  discovery: Misbehaviour | undefined;
  token: Misbehaviour | undefined;
  /** Replaces fields of the discovery document. */
  discoveryFields: Readonly<Record<string, unknown>> = {};
  /** The user of the ID tokens. */
  subject = 'dev';
  discoveries = 0;
  /** Connections that the client has closed. Those that the issuer closed because they were idle do not count. */
  closedByClient = 0;
  readonly tokenRequests: SeenTokenRequest[] = [];
  readonly #path: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #refreshTokens = new Set<string>();
  readonly #idTokens = new Set<string>();
  #server: RawServer | undefined;

  private constructor(options: OidcIssuerOptions) {
    this.#path = options.path ?? '/realms/spec';
    this.clientId = options.clientId ?? 'listwatch-spec';
    this.clientSecret = options.clientSecret ?? 'client secret & more';
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
  }

  static async start(options: OidcIssuerOptions = {}): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(options);
    issuer.#server = await RawServer.start(
      (request, response, body) => issuer.#answer(request, response, body.toString('utf8')),
      options.tls,
    );
    return issuer;
  }

  /** The issuer URL, for `idp-issuer-url`. */
  get url(): string {
    if (this.#server === undefined) throw new Error('the issuer has not started');
    return this.#server.url + this.#path;
  }

  /** Connections that were ever made. */
  get connections(): number {
    return this.#server?.connections ?? 0;
  }

  /** A refresh token that the token endpoint accepts. */
  newRefreshToken(): string {
    const token = `refresh-${randomUUID()}`;
    this.#refreshTokens.add(token);
    return token;
  }

  /** From now on no refresh token is accepted that was issued before. */
  revokeRefreshTokens(): void {
    this.#refreshTokens.clear();
  }

  /** A signed ID token, which `accepts` until it expires or `revokeIdTokens` is called. */
  newIdToken(claims: Readonly<Record<string, unknown>> = {}): string {
    const seconds = Math.floor(this.now() / 1_000);
    const payload = {
      iss: this.url,
      aud: this.clientId,
      sub: this.subject,
      iat: seconds,
      exp: Math.floor((this.now() + this.tokenLifeMs) / 1_000),
      jti: randomUUID(),
      ...claims,
    };
    const head = `${encode({ alg: 'ES256', kid: 'spec', typ: 'JWT' })}.${encode(payload)}`;
    const key = { key: this.#key, dsaEncoding: 'ieee-p1363' } as const;
    const token = `${head}.${sign('sha256', Buffer.from(head), key).toString('base64url')}`;
    this.#idTokens.add(token);
    return token;
  }

  /** From now on no ID token is accepted that was issued before: for the rotation of a server that still sees it as valid. */
  revokeIdTokens(): void {
    this.#idTokens.clear();
  }

  /** Whether a server that trusts this issuer accepts the token: it was issued here, was not revoked, and has not expired. */
  accepts(token: string): boolean {
    if (!this.#idTokens.has(token)) return false;
    const [, payload = ''] = token.split('.');
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
    return this.now() < exp * 1_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    request.socket.once('end', () => {
      this.closedByClient += 1;
    });
    switch (`${request.method} ${request.url}`) {
      case `GET ${this.#path}/.well-known/openid-configuration`:
        this.discoveries += 1;
        if (misbehaves(response, this.discovery)) return;
        json(response, this.#discoveryDocument());
        return;
      case `GET ${this.#path}/keys`:
        json(response, { keys: [this.#jsonWebKey()] });
        return;
      case `POST ${this.#path}/token?tenant=spec`:
        await this.#answerRefresh(request, response, body);
        return;
      default:
        json(response, { error: 'not found' }, 404);
    }
  }

  #discoveryDocument(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      // Some issuers have a query here.
      token_endpoint: `${this.url}/token?tenant=spec`,
      jwks_uri: `${this.url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      ...this.discoveryFields,
    };
  }

  #jsonWebKey(): object {
    return { ...this.#publicKey.export({ format: 'jwk' }), kid: 'spec', alg: 'ES256', use: 'sig' };
  }

  async #answerRefresh(
    { headers }: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<void> {
    const form = new Map(new URLSearchParams(body));
    const clientAuthentication = headers.authorization === undefined ? 'post' : 'basic';
    this.tokenRequests.push({ clientAuthentication, form });
    await this.holdUntil;
    if (misbehaves(response, this.token)) return;
    const isKnown =
      clientAuthentication === 'basic'
        ? headers.authorization === basicHeader(this.clientId, this.clientSecret)
        : form.get('client_id') === this.clientId &&
          (form.get('client_secret') ?? '') === this.clientSecret;
    const isAllowed = [clientAuthentication, 'both'].includes(this.clientAuthentication);
    if (!isKnown || !isAllowed) {
      json(response, { error: 'invalid_client' }, 401);
      return;
    }
    const refreshToken = form.get('refresh_token') ?? '';
    if (form.get('grant_type') !== 'refresh_token' || !this.#refreshTokens.has(refreshToken)) {
      const description = `Token ${refreshToken} is not active`;
      json(response, { error: 'invalid_grant', error_description: description }, 400);
      return;
    }
    if (this.rotatesRefreshTokens) this.#refreshTokens.delete(refreshToken);
    json(response, {
      token_type: 'Bearer',
      access_token: `access-${randomUUID()}`,
      ...(this.givesIdToken ? { id_token: this.newIdToken() } : {}),
      ...(this.rotatesRefreshTokens ? { refresh_token: this.newRefreshToken() } : {}),
    });
  }
}

/** User and password are percent-encoded before the header is made (RFC 6749 section 2.3.1). */
function basicHeader(id: string, secret: string): string {
  const pairs = new URLSearchParams({ u: id, p: secret }).toString().split('&');
  const [user, password] = pairs.map((pair) => pair.slice(2));
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Does it, if there is something to do. */
function misbehaves(response: ServerResponse, how: Misbehaviour | undefined): boolean {
  if (how === undefined) return false;
  if (how.kind === 'redirect') response.writeHead(302, { location: how.to }).end();
  if (how.kind === 'answer') response.writeHead(how.status).end(how.body);
  return true;
}
