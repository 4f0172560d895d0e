import { Client } from '../../client/rest/client.ts';
import { inProcessTransport } from '../../client/transport/in-process/in-process-transport.ts';
import type { ApiHandler } from '../../server/http/api-request.ts';
import type { UserInfo } from '../../server/registry/contract/user-info.ts';
import type { ClusterParts } from './cluster-parts.ts';

export interface ClusterClientOptions extends ClusterParts {
  readonly handler: ApiHandler;
  /** As audit and admission see it. */
  readonly user: UserInfo;
  readonly fieldManager: string;
}

/** Options of informers of such a client: no connection is there that could die under a watch, so none asks the server about it. */
export const WITHIN_PROCESS = { silenceProbeMs: 0 } as const;

/** A client of a server in this process, for the parts of a cluster that are clients of it. */
export function clusterClient(options: ClusterClientOptions): Client {
  const { handler, user: identity, fieldManager, runtime, logger } = options;
  const { username: user } = identity;
  const asUser: ApiHandler = async (request) => await handler({ ...request, user, identity });
  return new Client({
    transport: inProcessTransport(asUser, { server: 'http://cluster' }),
    fieldManager,
    // They ask for every resource that there is, also for those that clients should not use any more.
    onWarning: () => {},
    runtime,
    logger,
  });
}
