import type { ListwatchError } from '../../../../kernel/failure/errors.ts';
import { isLoopback } from '../../../transport/contract/server-address.ts';
import { askIssuer, type IssuerAnswer, type IssuerSettings } from './issuer-exchange.ts';
import { LOG_IN_AGAIN, oidcError, shownText } from './oidc-error.ts';

export interface OidcIssuerClientOptions extends IssuerSettings {
  readonly issuerUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The answer to a refresh. */
export interface IssuedTokens {
  readonly idToken: string;
  /** Undefined: the used refresh token stays valid. */
  readonly refreshToken: string | undefined;
}

/** How the client presents itself: in the `authorization` header, or in the form. */
type ClientAuthentication = 'basic' | 'post';

/** Exchanges refresh tokens for ID tokens. It keeps no token. */
export class OidcIssuerClient {
  readonly #options: OidcIssuerClientOptions;
  /** Of the discovery document; read again after a failure. */
  #tokenEndpoint: URL | undefined;
  /** The way of authentication that the issuer accepted last. */
  #authentication: ClientAuthentication | undefined;

  constructor(options: OidcIssuerClientOptions) {
    this.#options = options;
  }

  /**
   * @throws {ListwatchError} code OIDC.
   * @see client-go plugin/pkg/client/auth/oidc/oidc.go @ 32ce75a7
   */
  async refresh(refreshToken: string): Promise<IssuedTokens> {
    const endpoint = (this.#tokenEndpoint ??= await this.#discover());
    try {
      return this.#tokensOf(await this.#exchange(endpoint, refreshToken), refreshToken);
    } catch (error) {
      this.#tokenEndpoint = undefined;
      throw error;
    }
  }

  async #discover(): Promise<URL> {
    const { issuerUrl } = this.#options;
    const url = new URL(issuerUrl);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/.well-known/openid-configuration`;
    const address = url.origin + url.pathname;
    const { status, fields } = await askIssuer({ url, headers: {} }, this.#options);
    if (status !== 200 || fields === undefined) {
      const what = status === 200 ? 'something that is not JSON' : `HTTP ${status}`;
      throw this.#error(`${address} answered ${what}; check idp-issuer-url`);
    }
    const { issuer, token_endpoint: endpoint } = fields;
    if (typeof issuer !== 'string' || withoutSlash(issuer) !== withoutSlash(issuerUrl.href)) {
      const named = shownText(issuer, [this.#options.clientSecret]) ?? 'no issuer';
      throw this.#error(`${address} describes ${named}; set idp-issuer-url to its own issuer URL`);
    }
    return this.#checkedEndpoint(endpoint, address);
  }

  #checkedEndpoint(endpoint: unknown, address: string): URL {
    const url = typeof endpoint === 'string' ? parsedUrl(endpoint) : undefined;
    if (url === undefined)
      throw this.#error(`${address} has no token_endpoint; check idp-issuer-url`);
    // A secure issuer must not have the refresh token sent in plain text, not even on this machine.
    if (isProtected(url) && (url.protocol === this.#options.issuerUrl.protocol || isSecure(url))) {
      return url;
    }
    throw this.#error(
      `the token_endpoint ${url.origin} of the issuer is not https; the refresh token is not sent in plain text`,
    );
  }

  /** Tries both kinds of client authentication, because issuers differ (golang.org/x/oauth2 does the same). */
  async #exchange(endpoint: URL, refreshToken: string): Promise<IssuerAnswer> {
    const preferred = this.#options.clientSecret === '' ? 'post' : 'basic';
    const first = this.#authentication ?? preferred;
    const answer = await this.#send(endpoint, refreshToken, first);
    if (this.#authentication !== undefined || !mayRefuseTheClient(answer)) {
      if (answer.status === 200) this.#authentication = first;
      return answer;
    }
    const second = first === 'basic' ? 'post' : 'basic';
    const other = await this.#send(endpoint, refreshToken, second);
    if (other.status === 200) this.#authentication = second;
    return other;
  }

  async #send(
    url: URL,
    refreshToken: string,
    authentication: ClientAuthentication,
  ): Promise<IssuerAnswer> {
    const { clientId, clientSecret } = this.#options;
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
    if (authentication === 'basic') {
      const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
      headers['authorization'] = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
    } else {
      form.set('client_id', clientId);
      if (clientSecret !== '') form.set('client_secret', clientSecret);
    }
    return await askIssuer({ url, headers, form }, this.#options);
  }

  #tokensOf({ status, fields }: IssuerAnswer, used: string): IssuedTokens {
    if (status !== 200) throw this.#refusal(status, fields, used);
    if (fields === undefined) {
      throw this.#error(
        'the token endpoint answered something that is not JSON; check idp-issuer-url',
      );
    }
    const { id_token: idToken, refresh_token: next } = fields;
    if (typeof idToken !== 'string' || idToken === '') {
      throw this.#error(
        'the issuer gave no id_token; log in again with the scope openid, or use an issuer that gives one for a refresh token',
      );
    }
    return { idToken, refreshToken: typeof next === 'string' && next !== '' ? next : undefined };
  }

  #refusal(status: number, fields: IssuerAnswer['fields'], used: string): ListwatchError {
    const { clientId, clientSecret } = this.#options;
    const code = shownText(fields?.['error'], [used, clientSecret]);
    const description = shownText(fields?.['error_description'], [used, clientSecret]);
    const said = [code ?? `HTTP ${status}`, description].filter(Boolean).join(': ');
    if (code === 'invalid_client' || code === 'unauthorized_client') {
      return this.#error(
        `the issuer refused the client ${clientId} (${said}); correct client-id and client-secret`,
      );
    }
    if (status === 429 || status >= 500) {
      return this.#error(`the issuer cannot refresh the token now (${said}); try again later`);
    }
    return this.#error(`the issuer refused the refresh token (${said}); ${LOG_IN_AGAIN}`);
  }

  #error(problem: string): ListwatchError {
    return oidcError(this.#options.source, problem);
  }
}

/** Whether what is sent there cannot be read on the way. */
export function isProtected(url: URL): boolean {
  return isSecure(url) || (url.protocol === 'http:' && isLoopback(url.hostname));
}

export function parsedUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isSecure(url: URL): boolean {
  return url.protocol === 'https:';
}

/** `invalid_grant` is about the refresh token: the client was accepted. */
function mayRefuseTheClient({ status, fields }: IssuerAnswer): boolean {
  return status >= 400 && status < 500 && status !== 429 && fields?.['error'] !== 'invalid_grant';
}

/** RFC 6749 section 2.3.1. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
