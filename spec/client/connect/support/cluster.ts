import type { OidcIssuer } from '../../support/oidc-issuer.ts';
import type { IssuedCertificate } from '../../support/test-authority.ts';

/** The way of a watch's end: in good order on a connection that stays, or with all connections. */
export type Cut = 'end' | 'reset';

export interface ClusterCounts {
  readonly connections: number;
  readonly unauthorized: number;
  readonly lists: number;
  readonly watches: number;
}

/** An API server over HTTPS in a trial. */
export interface TriedCluster extends AsyncDisposable {
  /** The server that checks the credentials, for the table. */
  readonly checker: string;
  /** The namespace of the trial. */
  readonly namespace: string;
  /** The user agent of the client of the trial, so that its requests can be counted. */
  readonly userAgent: string;
  /** Ends the running watches of the client. */
  cut(how: Cut): void;
  /** The requests of the client of the trial so far. */
  counts(): Promise<ClusterCounts>;
  /** Connections of the client that are open now. */
  openConnections(): number;
}

/** An identity provider that the cluster trusts. */
export interface IdentityProvider {
  readonly issuer: OidcIssuer;
  /** The authority of its own certificate, PEM. */
  readonly authority: string;
}

/** A next authority of the server's certificate, which clients may trust before the server uses it. */
export interface NextAuthority {
  /** PEM. */
  readonly authority: string;
  /** The server uses a certificate of it from now on, for new connections. */
  use(): Promise<void>;
}

/**
 * An API server over HTTPS that issues credentials to one client and stops to accept them. Each credential that it issues is
 * accepted beside those before, until `retireOld`.
 */
export interface Cluster extends TriedCluster {
  /** The address for the client, https. */
  readonly server: string;
  /** The authority of the server's certificate, PEM. */
  readonly authority: string;
  /** The host name by which clients get the certificate of `nextAuthority`. Undefined: that of the address. */
  readonly rotatingName: string | undefined;
  issueToken(): Promise<string>;
  /** A client certificate of an authority that issued none before. */
  issueCertificate(): Promise<IssuedCertificate>;
  /** A certificate for a server of the same authority, for a proxy. */
  serverCertificate(hosts?: readonly string[]): IssuedCertificate;
  issuePassword(): Promise<{ readonly username: string; readonly password: string }>;
  /** A token whose user may only act as another user. */
  issueImpersonator(): Promise<{ readonly token: string; readonly actsAs: string }>;
  identityProvider(): Promise<IdentityProvider>;
  /** Resolves when no ID token is accepted that was issued before. */
  retireIdentities(): Promise<void>;
  /** Resolves when only the newest credential is accepted. */
  retireOld(): Promise<void>;
  nextAuthority(): Promise<NextAuthority>;
}
