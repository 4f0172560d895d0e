import type { Client } from '../../client/rest/client.ts';
import type { ObjectMeta, UnstructuredObject } from '../../meta/object.ts';
import type { ProtectedKind } from './protected-kind.ts';

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
