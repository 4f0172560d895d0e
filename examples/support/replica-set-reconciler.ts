import { controllerOf, isAlreadyExists, type ObjectName, type ReconcileContext } from 'listwatch';
import type { Reconciler } from './controller.ts';
import { sameNumbers } from './deployment-reconciler.ts';
import { isReady, type Pod, type ReplicaSet } from './kinds.ts';
import { OWNER_INDEX, ownerReference, ownerValue, shortHash } from './ownership.ts';
import { deleteAll, type Shop } from './shop.ts';

/**
 * Reconciles ReplicaSet -> Pods.
 *
 * The name of a pod is a function of its replica set and its number. So a run with an outdated cache fails with ALREADY_EXISTS
 * instead of creating an additional pod.
 */
export class ReplicaSetReconciler implements Reconciler {
  readonly resource = 'replicasets.apps';
  readonly #shop: Shop;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  async reconcile({ namespace, name }: ObjectName, { signal }: ReconcileContext): Promise<void> {
    const { replicaSets, pods } = this.#shop;
    const replicaSet = replicaSets.lister.namespace(namespace).get(name);
    const children = pods.indexer.byIndex(OWNER_INDEX, ownerValue('ReplicaSet', namespace, name));
    const uid = replicaSet?.metadata?.uid;
    const wanted = new Set(replicaSet === undefined ? [] : podNames(replicaSet));
    const [kept, surplus] = partition(children, (pod) => {
      return controllerOf(pod)?.uid === uid && wanted.has(pod.metadata?.name ?? '');
    });
    const resource = this.#shop.client.resource<Pod>('v1', 'pods', { namespace });
    this.#did('pods deleted', await deleteAll(resource, surplus, signal));
    if (replicaSet === undefined) return;

    for (const pod of kept) wanted.delete(pod.metadata?.name ?? '');
    for (const podName of wanted) await this.#create(newPod(replicaSet, podName), signal);
    await this.#updateStatus(replicaSet, kept, signal);
  }

  async #create(pod: Pod, signal: AbortSignal): Promise<void> {
    try {
      await this.#shop.client.resource<Pod>('v1', 'pods').create(pod, { signal });
      this.#did('pods created');
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #updateStatus(
    { metadata, status }: ReplicaSet,
    pods: readonly Pod[],
    signal: AbortSignal,
  ): Promise<void> {
    const readyReplicas = pods.filter(isReady).length;
    const next = {
      observedGeneration: metadata?.generation ?? 0,
      replicas: pods.length,
      readyReplicas,
      availableReplicas: readyReplicas,
    };
    if (sameNumbers(status, next)) return;
    const { name = '', namespace } = metadata ?? {};
    await this.#shop.client
      .resource<ReplicaSet>('apps/v1', 'replicasets', { namespace })
      .patch(name, { status: next }, { subresource: 'status', signal });
    this.#did('statuses written');
  }

  #did(what: string, count: number = 1): void {
    this.#shop.timeline.tally('reconcile', this.resource, what, count);
  }
}

function podNames({ metadata, spec }: ReplicaSet): string[] {
  const { name = '', uid = '' } = metadata ?? {};
  return Array.from({ length: spec.replicas ?? 1 }, (_, index) => {
    return `${name}-${shortHash(`${uid} ${index}`, 5)}`;
  });
}

function newPod(replicaSet: ReplicaSet, name: string): Pod {
  const { metadata, spec } = replicaSet;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: metadata?.namespace,
      labels: spec.template.metadata?.labels,
      ownerReferences: [ownerReference(replicaSet, 'apps/v1', 'ReplicaSet')],
    },
    spec: spec.template.spec,
  };
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const item of items) (test(item) ? yes : no).push(item);
  return [yes, no];
}
