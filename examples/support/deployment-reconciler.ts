import { controllerOf, isAlreadyExists, type ObjectName, type ReconcileContext } from 'listwatch';
import type { Reconciler } from './controller.ts';
import type { Deployment, ReplicaSet } from './kinds.ts';
import { OWNER_INDEX, ownerReference, ownerValue, shortHash } from './ownership.ts';
import { deleteAll, type Shop } from './shop.ts';

const HASH_LABEL = 'pod-template-hash';

/** Reconciles Deployment -> ReplicaSet: one replica set for each pod template. Older ones are deleted when the newest is ready. */
export class DeploymentReconciler implements Reconciler {
  readonly resource = 'deployments.apps';
  readonly #shop: Shop;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  async reconcile({ namespace, name }: ObjectName, { signal }: ReconcileContext): Promise<void> {
    const { deployments, replicaSets } = this.#shop;
    const deployment = deployments.lister.namespace(namespace).get(name);
    const children = replicaSets.indexer.byIndex(
      OWNER_INDEX,
      ownerValue('Deployment', namespace, name),
    );
    const uid = deployment?.metadata?.uid;
    const orphans = children.filter((child) => controllerOf(child)?.uid !== uid);
    await this.#delete(orphans, signal);
    if (deployment === undefined) return;

    const { replicas = 1, template } = deployment.spec;
    const hash = shortHash(JSON.stringify(template), 10);
    const mine = children.filter((child) => !orphans.includes(child));
    const current = mine.find(({ metadata }) => metadata?.labels?.[HASH_LABEL] === hash);
    if (current === undefined) {
      // The event of the new replica set enqueues the deployment again.
      await this.#create(newReplicaSet(deployment, hash), signal);
      return;
    }
    if (current.spec.replicas !== replicas) await this.#scale(current, replicas, signal);
    const outdated = mine.filter((child) => child !== current);
    if ((current.status?.readyReplicas ?? 0) >= replicas) await this.#delete(outdated, signal);
    await this.#updateStatus(deployment, current, outdated, signal);
  }

  async #create(replicaSet: ReplicaSet, signal: AbortSignal): Promise<void> {
    try {
      await this.#shop.client
        .resource<ReplicaSet>('apps/v1', 'replicasets')
        .create(replicaSet, { signal });
      this.#did('replica sets created');
    } catch (error) {
      // Created by a run before this one, which the cache does not show yet.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #scale({ metadata }: ReplicaSet, replicas: number, signal: AbortSignal): Promise<void> {
    const { name = '', namespace } = metadata ?? {};
    await this.#shop.client
      .resource<ReplicaSet>('apps/v1', 'replicasets', { namespace })
      .patch(name, { spec: { replicas } }, { signal });
    this.#did('replica sets scaled');
  }

  async #delete(replicaSets: readonly ReplicaSet[], signal: AbortSignal): Promise<void> {
    const resource = this.#shop.client.resource<ReplicaSet>('apps/v1', 'replicasets');
    this.#did('replica sets deleted', await deleteAll(resource, replicaSets, signal));
  }

  async #updateStatus(
    { metadata, status }: Deployment,
    current: ReplicaSet,
    outdated: readonly ReplicaSet[],
    signal: AbortSignal,
  ): Promise<void> {
    const all = [current, ...outdated];
    const readyReplicas = sum(all.map((child) => child.status?.readyReplicas ?? 0));
    const next = {
      observedGeneration: metadata?.generation ?? 0,
      replicas: sum(all.map((child) => child.status?.replicas ?? 0)),
      updatedReplicas: current.status?.replicas ?? 0,
      readyReplicas,
      availableReplicas: readyReplicas,
    };
    if (sameNumbers(status, next)) return;
    const { name = '', namespace } = metadata ?? {};
    await this.#shop.client
      .resource<Deployment>('apps/v1', 'deployments', { namespace })
      .patch(name, { status: next }, { subresource: 'status', signal });
    this.#did('statuses written');
  }

  #did(what: string, count: number = 1): void {
    this.#shop.timeline.tally('reconcile', this.resource, what, count);
  }
}

function newReplicaSet(deployment: Deployment, hash: string): ReplicaSet {
  const { metadata, spec } = deployment;
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata?.name ?? ''}-${hash}`,
      namespace: metadata?.namespace,
      labels,
      ownerReferences: [ownerReference(deployment, 'apps/v1', 'Deployment')],
    },
    spec: {
      replicas: spec.replicas ?? 1,
      selector: { matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Whether a status has all of these numbers already; a missing number counts as 0. */
export function sameNumbers(
  status: object | undefined,
  next: Readonly<Record<string, number>>,
): boolean {
  const present = (status ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(next).every(([field, value]) => (present[field] ?? 0) === value);
}
