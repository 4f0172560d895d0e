import type { ConnectionConfig } from '../../../lib/client/config/contract/connection-config.ts';

/** The `authorization` header of the next request. */
export async function authorizationOf(config: ConnectionConfig): Promise<string | undefined> {
  return (await config.credentials?.current())?.authorization;
}
