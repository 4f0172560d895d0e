import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import { ReconcileLoop, type ReconcileResult } from '../../controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { groupResource } from '../../meta/resource.ts';
import type { Stored } from '../../meta/stored.ts';
import { evaluatorOf } from '../../kinds/quotas/evaluators.ts';
import { recordAt } from '../../meta/json-value.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import type { DiscoveredResources } from '../resources/discovered-resources.ts';
import type { ResourceMonitors } from '../resources/resource-monitors.ts';
import { CountedObjects } from './counted-objects.ts';
import { quotaStatus, quotaUse, sameAmounts, type NumberedResource } from './quota-status.ts';
import { COUNTED_WHOLE } from './replenishment.ts';

export interface QuotaUsageOptions extends ClusterParts {
  readonly client: Client;
  readonly served: DiscoveredResources;
  /** Started and stopped by their owner. */
  readonly monitors: ResourceMonitors;
}

/** The state of the controller of quotas. */
export interface QuotaInspection {
  /** The quotas of the cluster. */
  readonly quotas: number;
  /** Quotas that wait for their calculation. */
  readonly waiting: number;
}

/** As in kube-controller-manager (--concurrent-resource-quota-syncs). */
const WORKERS = 5;
/** As in kube-controller-manager (--resource-quota-sync-period). */
const FULL_RESYNC_MS = 5 * 60_000;
/** After this time the work begins although some resources cannot be listed. */
const FIRST_LISTS_MS = 30_000;
/** The next look at a quota when not all that it counts was known. */
const LOOK_AGAIN_MS = 1000;
/** Quotas that lack a status come before those that are only calculated again. */
const AGAIN = { priority: -100 };

/**
 * Writes the status of ResourceQuotas: the limits of the spec, and what the objects of the namespace use. Admission checks requests against
 * it and adds what they use; what is given back is calculated here.
 *
 * Guarantees:
 * - A quota is calculated when it is new or its limits change, after each deletion of a counted object and each change that gives something
 *   back, and every five minutes.
 * - The status is written with the resource version that it was calculated from. What admission counts meanwhile is not lost.
 *
 * Not guaranteed, as on any cluster: a request that admission has counted, and whose object is not stored yet, is left out by a calculation
 * in this moment, until the next one.
 * @see kubernetes pkg/controller/resourcequota/resource_quota_controller.go @ v1.36.3
 */
export class QuotaUsage implements AsyncDisposable {
  readonly #options: QuotaUsageOptions;
  readonly #quotas: SharedIndexInformer<UnstructuredObject>;
  readonly #counted: CountedObjects;
  readonly #queue: RateLimitingQueue;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: QuotaUsageOptions) {
    const { client, monitors, runtime, logger } = options;
    this.#options = options;
    this.#queue = new RateLimitingQueue({ name: 'resource quotas', runtime, logger });
    this.#quotas = new SharedIndexInformer<UnstructuredObject>({
      listerWatcher: client.listerWatcher({
        apiVersion: 'v1',
        resource: 'resourcequotas',
      }),
      name: 'resource quotas',
      runtime,
      logger,
    });
    const onGivenBack = (resource: NumberedResource, namespace: string): void => {
      this.#calculateFor(resource, namespace);
    };
    this.#counted = new CountedObjects({
      client,
      onGivenBack: (resource, namespace) => onGivenBack({ group: '', resource }, namespace),
      runtime,
      logger,
    });
    monitors.addHandler({
      gone: (resource, { namespace = '' }) => {
        if (!isCountedWhole(resource)) onGivenBack(resource, namespace);
      },
    });
    this.#followQuotas();
  }

  start(): void {
    this.#running = this.#run();
  }

  inspect(): QuotaInspection {
    return { quotas: this.#quotas.indexer.size, waiting: this.#queue.size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#counted[Symbol.asyncDispose]();
    await this.#running;
  }

  #followQuotas(): void {
    this.#quotas.addHandler({
      onAdd: (quota) => {
        this.#counted.start();
        this.#add(quota);
      },
      // Changes of the status are written here and by admission: they are no reason.
      onUpdate: (before, quota) => {
        if (!sameAmounts(recordAt(before, 'spec', 'hard'), recordAt(quota, 'spec', 'hard'))) {
          this.#add(quota);
        }
      },
    });
  }

  #add(quota: Stored<UnstructuredObject>): void {
    const { namespace = '', name } = quota.metadata as { namespace?: string; name: string };
    const isNew = !sameAmounts(recordAt(quota, 'spec', 'hard'), recordAt(quota, 'status', 'hard'));
    this.#queue.add(`${namespace}/${name}`, isNew ? {} : AGAIN);
  }

  /** Calculates the quotas of a namespace that count a resource. */
  #calculateFor(resource: NumberedResource, namespace: string): void {
    if (namespace === '') return;
    const evaluator = evaluatorOf(resource);
    if (evaluator === undefined) return;
    for (const quota of this.#quotas.lister.namespace(namespace).list()) {
      const names = Object.keys(recordAt(quota, 'status', 'hard') ?? {});
      if (names.some((name) => evaluator.counts(name))) {
        this.#queue.add(`${namespace}/${quota.metadata.name}`, AGAIN);
      }
    }
  }

  async #run(): Promise<void> {
    const { served, monitors, runtime, logger } = this.#options;
    const { signal } = this.#stop;
    const quotas = this.#quotas.run({ signal });
    try {
      await served.whenKnown(FIRST_LISTS_MS, signal);
      await monitors.whenSynced(FIRST_LISTS_MS, signal);
    } catch (error) {
      if (!signal.aborted) {
        logger.warn('quotas are calculated without all objects', { error: errorMessage(error) });
      }
    }
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: ({ key }) => this.#calculate(key),
      concurrency: WORKERS,
      isExpected: isConflict,
      runtime,
      logger,
    });
    await Promise.allSettled([quotas, loop.run({ signal }), this.#resync(signal)]);
  }

  async #resync(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    for (;;) {
      await sleep(runtime, FULL_RESYNC_MS, { signal, background: true });
      for (const key of this.#quotas.indexer.keys()) this.#queue.add(key, AGAIN);
    }
  }

  async #calculate(key: string): Promise<ReconcileResult> {
    const { client, monitors, runtime } = this.#options;
    const { signal } = this.#stop;
    await this.#counted.whenSynced(FIRST_LISTS_MS, signal);
    const quota = this.#quotas.indexer.get(key);
    if (quota === undefined) return {};
    const [namespace = ''] = key.split('/');
    const { used, isPartial } = quotaUse(quota, {
      numbered: monitors.resources.filter(
        (one) => one.namespaced && one.supports('create') && !isCountedWhole(one),
      ),
      objects: (resource) => this.#counted.in(resource, namespace),
      number: (resource) => monitors.count(groupResource(resource), namespace),
      nowMs: runtime.wallMs(),
    });
    const status = quotaStatus(quota, used);
    if (status !== undefined) {
      const calls = client.resource<UnstructuredObject>('v1', 'resourcequotas', {
        namespace,
        signal,
      });
      try {
        await calls.updateStatus({ ...quota, status });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return isPartial ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
  }
}

function isCountedWhole({ group, resource }: NumberedResource): boolean {
  return group === '' && COUNTED_WHOLE.some((one) => one === resource);
}
