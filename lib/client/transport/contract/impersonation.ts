/**
 * The identity under which the server carries out requests. The user of the credentials needs the permission to impersonate.
 * @see client-go transport/round_trippers.go NewImpersonatingRoundTripper @ 32ce75a7
 */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
