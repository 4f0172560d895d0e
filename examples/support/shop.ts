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

/** The client, caches and timeline that the reconcilers of the shop use. */
export interface Shop {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly deployments: SharedIndexInformer<Deployment>;
  readonly replicaSets: SharedIndexInformer<ReplicaSet>;
  readonly pods: SharedIndexInformer<Pod>;
}

/** Deletes exactly these objects, not newer objects with their names. Returns the number of objects that still existed. */
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

/** Calls back with key and metadata of every object that is added, updated or deleted; no body is decoded. */
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
