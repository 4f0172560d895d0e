import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../client/rest/client.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { Namespace } from '../../types/built-in/core-v1-kinds.ts';
import type { PodDisruptionBudget } from '../../types/built-in/policy-v1-kinds.ts';
import { LazyCollection } from './lazy-collection.ts';
import { needsNamespaces } from './model/affinity-terms.ts';
import type { ClusterState } from './model/cluster-state.ts';
import { mayPreempt } from './pod-preemption.ts';
import type { SchedulingQueue, WaitingPod } from './scheduling-queue.ts';
import { VolumeBinder } from './volume-binder.ts';

export interface LookupsOptions {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
}

/** Objects that only some pods need, and the pods that wait for their first list. */
export class Lookups implements AsyncDisposable {
  readonly volumes: VolumeBinder;
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly #namespaces: LazyCollection<Namespace>;
  readonly #budgets: LazyCollection<PodDisruptionBudget>;
  readonly #parked = new Set<string>();

  constructor({ client, informers, runtime, signal, state, queue }: LookupsOptions) {
    this.#state = state;
    this.#queue = queue;
    this.volumes = new VolumeBinder({
      client,
      informers,
      runtime,
      signal,
      onChange: (namespace) => {
        this.#resume();
        queue.changed({ kind: 'volumes', namespace });
      },
    });
    this.#namespaces = new LazyCollection({
      open: () => informers.for('v1', 'namespaces'),
      onChange: () => {
        // Selectors of namespaces are counted with the labels of then.
        state.counts.clear();
        this.#resume();
        queue.changed({ kind: 'namespaces' });
      },
    });
    this.#budgets = new LazyCollection({
      open: () => informers.for('policy/v1', 'poddisruptionbudgets'),
      onChange: (budget) => {
        if (budget === undefined) this.#resume();
      },
    });
    state.volumes = this.volumes;
    state.namespaceLabels = (name) => this.#namespaces.get(name)?.metadata.labels;
  }

  /** Whether all is known that the search for a node reads. If not, the pod is tried again once it is. */
  isReady(waiting: WaitingPod): boolean {
    const { claims, terms } = waiting.facts;
    const isByNamespace =
      this.#state.terms.needsNamespaces || (terms !== undefined && needsNamespaces(terms));
    const isReady =
      (claims.length === 0 || this.volumes.isKnown) && (!isByNamespace || this.#namespaces.isKnown);
    return isReady || this.#park(waiting);
  }

  /** Whether all is known that preemption reads. If not, the pod is tried again once it is. */
  canPreempt(waiting: WaitingPod): boolean {
    const isReady = !mayPreempt(waiting, this.#state) || this.#budgets.isKnown;
    return isReady || this.#park(waiting);
  }

  budgets(): readonly PodDisruptionBudget[] {
    return this.#budgets.list();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.volumes[Symbol.asyncDispose]();
    await this.#namespaces[Symbol.asyncDispose]();
    await this.#budgets[Symbol.asyncDispose]();
  }

  #park(waiting: WaitingPod): false {
    this.#parked.add(waiting.uid);
    this.#queue.parked(waiting);
    return false;
  }

  #resume(): void {
    const uids = [...this.#parked];
    this.#parked.clear();
    for (const uid of uids) this.#queue.activate(uid);
  }
}
