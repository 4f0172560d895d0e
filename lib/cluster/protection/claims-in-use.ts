import type { Client } from '../../client/rest/client.ts';
import type { ObjectMeta, UnstructuredObject } from '../../meta/object.ts';
import type { ProtectedKind } from './protected-kind.ts';
import { textAt } from '../../meta/json-value.ts';
import { isNotFound } from '../../meta/failure/failures.ts';

interface PersistentVolume extends UnstructuredObject {
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
    const volumes = client.resource<PersistentVolume>('v1', 'persistentvolumes', { signal });
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

interface Volume {
  readonly name?: string | undefined;
  readonly persistentVolumeClaim?: { readonly claimName?: string | undefined } | undefined;
  readonly ephemeral?: object | undefined;
}

interface Pod extends UnstructuredObject {
  readonly spec?:
    | {
        readonly nodeName?: string | undefined;
        readonly volumes?: readonly Volume[] | undefined;
      }
    | undefined;
}

/** The claims that the pods of a namespace use. */
interface UsedClaims {
  readonly byName: ReadonlySet<string>;
  /** Claims of ephemeral volumes, each as its name and the uid of the pod that it was made for. */
  readonly ofPods: ReadonlySet<string>;
}

/**
 * A claim is used by the pods that have a node, also by those that have ended: they go on until they are deleted. A node starts no pod
 * with a claim that is being deleted, so pods without a node do not count.
 * @see kubernetes pkg/controller/volume/pvcprotection/pvc_protection_controller.go @ v1.36.3
 */
export const claimsInUse: ProtectedKind = {
  apiVersion: 'v1',
  resource: 'persistentvolumeclaims',
  fullName: 'persistentvolumeclaims',
  finalizer: 'kubernetes.io/pvc-protection',
  users: ['pods'],
  batchOf: ({ namespace }) => namespace,
  batchAfter: (pod, change) =>
    change === 'gone' || isShutDown(pod) ? (pod.namespace ?? '') : undefined,
  usage: (client, namespace, signal) => {
    let used: Promise<UsedClaims> | undefined;
    return async ({ name, controlledBy }) => {
      used ??= usedClaims(client, namespace, signal);
      const { byName, ofPods } = await used;
      return byName.has(name) || ofPods.has(ofPod(name, controlledBy));
    };
  },
};

async function usedClaims(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<UsedClaims> {
  const byName = new Set<string>();
  const ofPods = new Set<string>();
  const pods = client.resource<Pod>('v1', 'pods', { namespace, signal });
  for await (const { metadata, spec } of pods.items()) {
    if ((spec?.nodeName ?? '') === '') continue;
    for (const { name = '', persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
      if (persistentVolumeClaim !== undefined) byName.add(persistentVolumeClaim.claimName ?? '');
      if (ephemeral !== undefined && !isShutDown(metadata)) {
        ofPods.add(ofPod(`${metadata.name}-${name}`, metadata.uid));
      }
    }
  }
  return { byName, ofPods };
}

function ofPod(claim: string, uid: string): string {
  return `${claim} ${uid}`;
}

/** Its node is done with the pod, or it was deleted by force: only finalizers keep it. They may wait for its ephemeral volumes. */
function isShutDown({ deletionTimestamp, deletionGracePeriodSeconds }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
}
