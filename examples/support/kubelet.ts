import type { ObjectName, ReconcileContext } from 'listwatch';
import type { Reconciler } from './controller.ts';
import { isReady, type Pod } from './kinds.ts';
import type { Shop } from './shop.ts';

/** Takes the place of the nodes: sets the status of every new pod to running. */
export class Kubelet implements Reconciler {
  readonly resource = 'pods';
  readonly #shop: Shop;
  #addresses = 0;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  async reconcile({ namespace, name }: ObjectName, { signal }: ReconcileContext): Promise<void> {
    const pod = this.#shop.pods.lister.namespace(namespace).get(name);
    if (pod === undefined || isReady(pod)) return;
    await this.#shop.client
      .resource<Pod>('v1', 'pods', { namespace })
      .patch(name, { status: this.#running(pod) }, { subresource: 'status', signal });
    this.#shop.timeline.tally('reconcile', this.resource, 'pods started');
  }

  #running({ spec }: Pod): object {
    const startedAt = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    this.#addresses += 1;
    const podIP = `10.244.${this.#addresses >> 8}.${this.#addresses & 255}`;
    return {
      phase: 'Running',
      podIP,
      podIPs: [{ ip: podIP }],
      startTime: startedAt,
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: startedAt,
      })),
      containerStatuses: spec.containers.map(({ name, image }) => ({
        name,
        image,
        imageID: '',
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt } },
      })),
    };
  }
}
