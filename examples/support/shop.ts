import {
  isNotFound,
  type Client,
  type KubernetesObject,
  type ObjectMeta,
  type ResourceClient,
  type SharedIndexInformer,
} from 'listwatch';
import type { Deployment, Pod, ReplicaSet } from './kinds.ts';
import type { Timeline } from './timeline.ts';

/** What the reconcilers of the shop work with. */
export interface Shop {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly deployments: SharedIndexInformer<Deployment>;
  readonly replicaSets: SharedIndexInformer<ReplicaSet>;
  readonly pods: SharedIndexInformer<Pod>;
}

/** Deletes exactly these objects, not others that took their names meanwhile. Returns how many were still there. */
export async function deleteAll<T extends KubernetesObject>(
  resource: ResourceClient<T>,
  objects: readonly T[],
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (const { metadata } of objects) {
    const { name = '', namespace, uid } = metadata ?? {};
    try {
      await resource.delete(name, {
        namespace,
        preconditions: { uid },
        gracePeriodSeconds: 0,
        signal,
      });
      deleted += 1;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return deleted;
}

/** Calls back with key and metadata of every object that comes, changes or goes; no body is decoded for it. */
export function onEveryChange<T extends KubernetesObject>(
  informer: SharedIndexInformer<T>,
  callback: (key: string, metadata: ObjectMeta) => void,
): void {
  informer.addHandler({
    view: 'metadata',
    onAdd: ({ key, metadata }) => callback(key, metadata),
    onUpdate: (_, { key, metadata }) => callback(key, metadata),
    onDelete: ({ key, metadata }) => callback(key, metadata),
  });
}
