import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import { realRuntime } from '../../../../kernel/time/real-runtime.ts';
import type { CredentialSource } from '../../../transport/contract/credential.ts';
import { OidcCredentialSource } from './oidc-credential-source.ts';
import { isProtected, OidcIssuerClient, parsedUrl } from './oidc-issuer-client.ts';
import type { OidcOptions } from './oidc-options.ts';

/**
 * The ID tokens of an OpenID Connect login, refreshed with its refresh token.
 *
 * Guarantees:
 * - The ID token of the configuration is used until ten seconds before it expires, and no request goes to the issuer before.
 * - One refresh serves all requests that wait for it, and takes at most a minute. A failed one is repeated after a second at the
 *   earliest; requests before that get the same error. A token that has not expired yet stays in use meanwhile.
 * - After a 401 the token is refreshed, unless it is less than five seconds old.
 * - Refreshed tokens stay in memory; `persist` gets them if it is given, and a failure of it is logged.
 * - Tokens and the client secret go over https, or to this machine. Redirects are not followed. Between refreshes there is no
 *   connection and no timer.
 * - Messages show no token and no client secret.
 *
 * @throws {ListwatchError} code CONFIG_INVALID for an issuer URL or client that cannot be used. `current` and `refresh` reject with
 * code OIDC.
 * @see client-go plugin/pkg/client/auth/oidc/oidc.go @ 32ce75a7
 */
export function oidcCredentials(options: OidcOptions): CredentialSource {
  const { source, clientId, clientSecret = '', ca, userAgent, persist, logger } = options;
  const { runtime = realRuntime, proxyFor = () => undefined } = options;
  const issuerUrl = checkedIssuer(options);
  if (clientId === '') throw invalid(source, 'client-id is missing; add it');
  const settings = { source, ca, proxyFor, userAgent, runtime };
  const issuer = new OidcIssuerClient({ ...settings, issuerUrl, clientId, clientSecret });
  return new OidcCredentialSource({
    source,
    issuer,
    idToken: headerText(source, 'id-token', options.idToken),
    refreshToken: options.refreshToken === '' ? undefined : options.refreshToken,
    persist,
    runtime,
    logger,
  });
}

function checkedIssuer({ source, issuerUrl }: OidcOptions): URL {
  if (issuerUrl === '') throw invalid(source, 'idp-issuer-url is missing; add it');
  const url = parsedUrl(issuerUrl);
  if (url === undefined) throw invalid(source, 'idp-issuer-url is not a URL; write https://HOST');
  if (url.username !== '' || url.password !== '') {
    throw invalid(source, 'idp-issuer-url has a user or a password; remove them');
  }
  if (url.search !== '' || url.hash !== '') {
    throw invalid(source, 'idp-issuer-url has a query or a fragment; remove it');
  }
  if (isProtected(url)) return url;
  throw invalid(source, 'idp-issuer-url is not https; tokens are not sent in plain text');
}

function headerText(source: string, name: string, text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw invalid(source, `${name} has spaces or characters that cannot stand in a header`);
}

function invalid(source: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${source}: ${problem}`);
}
