import type { RequestContext } from './rest-storage.ts';
import type { UpdateStrategy } from './strategy.ts';

/** The request context of what the server does by itself. */
export function serverContext(namespace: string, signal?: AbortSignal): RequestContext {
  return { namespace, user: 'system:apiserver', signal, warn: () => {} };
}

/** The rules of an update by the server itself: nothing is put back, nothing is checked. */
export const serverStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate: () => {},
  validateUpdate: () => [],
};
