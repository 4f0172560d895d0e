import type { Client } from '../../client/rest/client.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { textAt } from '../../meta/json-value.ts';
import type { ProtectedKind } from './protected-kind.ts';

/** Where volumes and claims name a class. */
const NAMES: readonly (readonly string[])[] = [
  ['spec', 'volumeAttributesClassName'],
  ['status', 'currentVolumeAttributesClassName'],
  ['status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'],
];
const ALL = 'all classes';

/**
 * A class of volume attributes is used by the volumes and claims that name it. Unlike kube-controller-manager, which looks into its caches,
 * this one asks the server, so that a class that is used since a moment ago stays.
 * @see kubernetes pkg/controller/volume/vacprotection/vac_protection_controller.go @ v1.36.3
 */
export const attributesClassesInUse: ProtectedKind = {
  apiVersion: 'storage.k8s.io/v1',
  resource: 'volumeattributesclasses',
  fullName: 'volumeattributesclasses.storage.k8s.io',
  finalizer: 'kubernetes.io/vac-protection',
  users: ['persistentvolumes', 'persistentvolumeclaims'],
  batchOf: () => ALL,
  batchAfter: () => ALL,
  usage: (client, _batch, signal) => {
    let used: Promise<ReadonlySet<string>> | undefined;
    return async ({ name }) => {
      used ??= usedClasses(client, signal);
      return (await used).has(name);
    };
  },
};

async function usedClasses(client: Client, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const resource of ['persistentvolumeclaims', 'persistentvolumes']) {
    const users = client.resource<UnstructuredObject>('v1', resource, { signal });
    for await (const user of users.items()) {
      for (const path of NAMES) used.add(textAt(user, ...path));
    }
  }
  return used;
}
