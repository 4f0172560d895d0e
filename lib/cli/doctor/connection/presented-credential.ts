import type { ConnectionConfig } from '../../../client/config/contract/connection-config.ts';
import { Credential } from '../../../client/transport/contract/credential.ts';
import { currentCredential } from '../../../client/transport/request-credentials.ts';

/** The credential that requests will present; undefined when they are anonymous. @throws errors of the source of the credentials. */
export async function presentedCredential(
  { credentials, tls, source }: ConnectionConfig,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  const current = await currentCredential(credentials, signal);
  if (tls.cert === undefined || current?.cert !== undefined) return current;
  return new Credential({
    authorization: current?.authorization,
    cert: tls.cert,
    key: tls.key,
    source: current?.source ?? source,
  });
}
