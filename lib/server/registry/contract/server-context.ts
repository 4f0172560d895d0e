import type { RequestContext } from './rest-storage.ts';
import type { UpdateStrategy } from './strategy.ts';
import { IN_PROCESS_CLIENT } from '../../storage/contract/storage-interface.ts';
import { adminUser } from './user-info.ts';

/** The user of work that the server itself does. */
export const SERVER_USER = 'system:apiserver';

const SERVER = adminUser(SERVER_USER);

/** The request context for work of the server itself. */
export function serverContext(namespace: string, signal?: AbortSignal): RequestContext {
  return {
    namespace,
    user: SERVER_USER,
    identity: SERVER,
    client: IN_PROCESS_CLIENT,
    signal,
    warn: () => {},
  };
}

/** The strategy for updates by the server itself: it restores nothing and checks nothing. */
export const serverStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate: () => {},
  validateUpdate: () => [],
};
