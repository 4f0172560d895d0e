import type { IssuedCertificate } from '../../support/test-authority.ts';

/** The way of a watch's end: in good order on a connection that stays, or with all connections. */
export type Cut = 'end' | 'reset';

export interface ClusterCounts {
  readonly connections: number;
  readonly unauthorized: number;
  readonly lists: number;
  readonly watches: number;
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
export interface Cluster extends AsyncDisposable {
  /** Who judges the credentials, for the table. */
  readonly judge: string;
  /** The address for the client, https. */
  readonly server: string;
  /** The authority of the server's certificate, PEM. */
  readonly authority: string;
  /** The namespace of the trial. */
  readonly namespace: string;
  issueToken(): Promise<string>;
  /** A client certificate of an authority that issued none before. */
  issueCertificate(): Promise<IssuedCertificate>;
  issuePassword(): Promise<{ readonly username: string; readonly password: string }>;
  /** A token whose user may only act as another user. */
  issueImpersonator(): Promise<{ readonly token: string; readonly actsAs: string }>;
  /** Resolves when only the newest credential is accepted. */
  retireOld(): Promise<void>;
  nextAuthority(): Promise<NextAuthority>;
  /** Ends the running watches of the client. */
  cut(how: Cut): void;
  /** What the client of the trial has done so far. */
  counts(): Promise<ClusterCounts>;
  /** Connections of the client that are open now. */
  openConnections(): number;
}
