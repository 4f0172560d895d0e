import { OidcIssuer } from '../../support/oidc-issuer.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import type { IdentityProvider } from './cluster.ts';

/** An issuer over HTTPS that gives a new refresh token with each ID token. */
export async function startIdentityProvider(clientSecret: string): Promise<IdentityProvider> {
  const authority = new TestAuthority({ name: 'identity provider' });
  const { certificate: cert, privateKey: key } = authority.server();
  const issuer = await OidcIssuer.start({ tls: { cert, key }, clientSecret });
  issuer.subject = 'jane';
  issuer.rotatesRefreshTokens = true;
  return { issuer, authority: authority.certificate };
}
