import { isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ProtectedKind } from './protected-kind.ts';

interface Volume extends UnstructuredObject {
  readonly status?: { readonly phase?: string | undefined } | undefined;
}

/**
 * A volume is used while its phase is `Bound`. The end of that is a change of the volume itself.
 * @see kubernetes pkg/controller/volume/pvprotection/pv_protection_controller.go @ v1.36.3
 */
export const volumesInUse: ProtectedKind = {
  apiVersion: 'v1',
  resource: 'persistentvolumes',
  fullName: 'persistentvolumes',
  finalizer: 'kubernetes.io/pv-protection',
  users: [],
  batchOf: ({ name }) => name,
  batchAfter: () => undefined,
  usage: (client, _batch, signal) => {
    const volumes = client.resource<Volume>('v1', 'persistentvolumes', { signal });
    return async ({ name }) => {
      try {
        const { status } = await volumes.get(name);
        return status?.phase === 'Bound';
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };
  },
};
