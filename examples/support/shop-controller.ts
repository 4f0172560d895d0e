import type { Client, SharedInformerFactory } from 'listwatch';
import { deriveAbort } from 'listwatch/kernel';
import { Controller } from './controller.ts';
import { DeploymentReconciler } from './deployment-reconciler.ts';
import type { Deployment, Pod, ReplicaSet } from './kinds.ts';
import { Kubelet } from './kubelet.ts';
import { OWNER_INDEX, ownerIndexFunc, ownerKey } from './ownership.ts';
import { ReplicaSetReconciler } from './replica-set-reconciler.ts';
import { onEveryChange, type Shop } from './shop.ts';
import type { Timeline } from './timeline.ts';

/** Running controllers; disposing stops them and waits for their end. */
export interface RunningWork extends AsyncDisposable {
  readonly signal: AbortSignal;
}

/** Reconciles Deployment -> ReplicaSet -> Pods with three informers and three controllers. */
export class ShopController {
  readonly #shop: Shop;
  readonly #controllers: readonly Controller[];

  constructor(client: Client, informers: SharedInformerFactory, timeline: Timeline) {
    const indexers = { [OWNER_INDEX]: ownerIndexFunc };
    this.#shop = {
      client,
      timeline,
      deployments: informers.for<Deployment>('apps/v1', 'deployments'),
      replicaSets: informers.for<ReplicaSet>('apps/v1', 'replicasets', { indexers }),
      pods: informers.for<Pod>('v1', 'pods', { indexers }),
    };
    const deployments = new Controller(new DeploymentReconciler(this.#shop), timeline);
    const replicaSets = new Controller(new ReplicaSetReconciler(this.#shop), timeline);
    const kubelet = new Controller(new Kubelet(this.#shop), timeline);
    this.#controllers = [deployments, replicaSets, kubelet];
    this.#route(deployments, replicaSets, kubelet);
  }

  get reconciles(): number {
    return this.#controllers.reduce((total, { reconciles }) => total + reconciles, 0);
  }

  get retries(): number {
    return this.#controllers.reduce((total, { retries }) => total + retries, 0);
  }

  /** Descriptions of deployments that are not finished; empty when there is nothing left to do. */
  get unfinished(): readonly string[] {
    const { deployments, replicaSets, pods } = this.#shop;
    const unfinished = this.#controllers.some(({ idle }) => !idle) ? ['a work queue'] : [];
    let wanted = 0;
    for (const { metadata, spec, status } of deployments.lister.list()) {
      const { replicas = 1 } = spec;
      wanted += replicas;
      const done = status?.readyReplicas === replicas && status.replicas === replicas;
      if (!done || status.observedGeneration !== metadata?.generation) {
        unfinished.push(`deployment ${metadata?.namespace}/${metadata?.name}`);
      }
    }
    if (replicaSets.indexer.size !== deployments.indexer.size) unfinished.push('a replica set');
    if (pods.indexer.size !== wanted) unfinished.push('a pod');
    return unfinished;
  }

  /** Starts the controllers. The returned signal aborts with the given one, and when a controller fails. */
  start(signal: AbortSignal): RunningWork {
    const stop = deriveAbort(signal);
    const ended = Promise.all(this.#controllers.map((controller) => controller.run(stop.signal)));
    ended.catch((error: unknown) => stop.abort(error));
    return {
      signal: stop.signal,
      async [Symbol.asyncDispose](): Promise<void> {
        stop.abort();
        await ended;
      },
    };
  }

  /** Enqueues the key of the changed object, and the key of its owner. */
  #route(deployments: Controller, replicaSets: Controller, kubelet: Controller): void {
    onEveryChange(this.#shop.deployments, (key) => deployments.enqueue(key));
    onEveryChange(this.#shop.replicaSets, (key, metadata) => {
      replicaSets.enqueue(key);
      deployments.enqueue(ownerKey('Deployment', metadata));
    });
    onEveryChange(this.#shop.pods, (key, metadata) => {
      kubelet.enqueue(key);
      replicaSets.enqueue(ownerKey('ReplicaSet', metadata));
    });
  }
}
