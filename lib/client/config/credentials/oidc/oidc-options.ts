import type { Logger } from '../../../../kernel/report/logger.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import type { PemSource } from '../../../transport/contract/tls-options.ts';

/** The `auth-provider` `oidc` of a kubeconfig, with its fields in the comments. */
export interface OidcOptions {
  /** Its kind and source, for messages, e.g. `the OIDC login of user dev in /home/me/.kube/config`. */
  readonly source: string;
  /** `idp-issuer-url`: https, or http on this machine. */
  readonly issuerUrl: string;
  /** `client-id` */
  readonly clientId: string;
  /** `client-secret`. Left out or empty: a public client. */
  readonly clientSecret?: string | undefined;
  /** `id-token`: used until ten seconds before it expires. Left out: the first request refreshes. */
  readonly idToken?: string | undefined;
  /** `refresh-token`. Left out: the ID token cannot be replaced. */
  readonly refreshToken?: string | undefined;
  /**
   * `idp-certificate-authority` or `idp-certificate-authority-data`, as PEM: the only authorities of which a certificate of the
   * issuer is accepted. @defaultValue the authorities of Node
   */
  readonly ca?: PemSource | undefined;
  /** The URL of the proxy for an address (scheme, host and port) of the issuer; undefined for none. @defaultValue no proxy */
  readonly proxyFor?: ((address: string) => string | undefined) | undefined;
  /** Is called with refreshed tokens, to keep them for other programs. @defaultValue they stay in memory */
  readonly persist?: ((tokens: RefreshedTokens) => Promise<void>) | undefined;
  /** @defaultValue 'listwatch' */
  readonly userAgent?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/** The tokens of a refresh. */
export interface RefreshedTokens {
  readonly idToken: string;
  /** The next refresh token; the used one if the issuer gave no other. */
  readonly refreshToken: string;
  /** The refresh token that was used. */
  readonly usedRefreshToken: string;
}
