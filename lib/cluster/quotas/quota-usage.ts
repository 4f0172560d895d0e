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
import {
  evaluatorOf,
  amountsOf,
  counted,
  sumOf,
  type QuotaEvaluator,
  type Amounts,
} from '../../kinds/quotas/evaluators.ts';
import { recordAt, type JsonRecord } from '../../meta/json-value.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import type { DiscoveredResources } from '../resources/discovered-resources.ts';
import type { ResourceMonitors } from '../resources/resource-monitors.ts';
import { COUNTED_WHOLE, givesBack, type CountedWhole } from './replenishment.ts';
import { quantityText, type Quantity } from '../../meta/quantity.ts';
import { scopesOf } from '../../kinds/quotas/pod-scopes.ts';
import { WITHIN_PROCESS } from '../resources/cluster-client.ts';

/** A resource whose objects count by their number. */
interface NumberedResource {
  readonly group: string;
  readonly resource: string;
}

/** The content of the namespace of a quota. */
interface QuotaContent {
  /** The other resources that are counted. */
  readonly numbered: readonly NumberedResource[];
  objects(resource: CountedWhole): readonly UnstructuredObject[];
  /** Undefined while it is not known. */
  number(resource: NumberedResource): number | undefined;
  readonly nowMs: number;
}

interface QuotaUse {
  readonly used: Amounts;
  /** Whether some names are missing because their objects are not known yet. */
  readonly isPartial: boolean;
}

/**
 * The usage of a quota by the objects of a namespace, by the names of its limits. Names that count nothing known are left out.
 * @see apiserver pkg/quota/v1/resources.go CalculateUsage @ v0.36.3
 */
function quotaUse(quota: UnstructuredObject, content: QuotaContent): QuotaUse {
  const names = Object.keys(recordAt(quota, 'spec', 'hard') ?? {});
  const used = new Map<string, Quantity>();
  let isPartial = false;
  for (const resource of COUNTED_WHOLE) {
    const evaluator = evaluatorOf({ group: '', resource });
    const own = names.filter((name) => evaluator?.counts(name) === true);
    if (evaluator === undefined || own.length === 0) continue;
    for (const [name, amount] of sumOfObjects(
      quota,
      own,
      evaluator,
      content.objects(resource),
      content.nowMs,
    )) {
      used.set(name, amount);
    }
  }
  for (const resource of content.numbered) {
    const evaluator = evaluatorOf(resource);
    const own = names.filter((name) => evaluator?.counts(name) === true);
    if (own.length === 0) continue;
    // No scope selects objects that only count by their number.
    const number = scopesOf(quota).length > 0 ? 0 : content.number(resource);
    if (number === undefined) isPartial = true;
    else for (const name of own) used.set(name, counted(number));
  }
  return { used, isPartial };
}

function sumOfObjects(
  quota: UnstructuredObject,
  names: readonly string[],
  evaluator: QuotaEvaluator,
  objects: readonly UnstructuredObject[],
  nowMs: number,
): Amounts {
  const scopes = scopesOf(quota);
  const used = new Map(names.map((name) => [name, counted(0)]));
  for (const object of objects) {
    if (!scopes.every((scope) => evaluator.isInScope(object, scope))) continue;
    for (const [name, amount] of evaluator.usage(object, nowMs)) {
      if (used.has(name)) used.set(name, sumOf(used.get(name), amount));
    }
  }
  return used;
}

/**
 * The status of a quota with this usage; undefined if it has it already. Usage that was not calculated stays.
 * @see kubernetes pkg/controller/resourcequota/resource_quota_controller.go syncResourceQuota @ v1.36.3
 */
function quotaStatus(quota: UnstructuredObject, used: Amounts): JsonRecord | undefined {
  const hard = recordAt(quota, 'spec', 'hard') ?? {};
  const before = recordAt(quota, 'status');
  const texts = [...used].map(([name, amount]) => [name, quantityText(amount)] as const);
  const all = { ...recordAt(before, 'used'), ...Object.fromEntries(texts) };
  const kept = Object.entries(all).filter(([name]) => Object.hasOwn(hard, name));
  const after = { hard, used: Object.fromEntries(kept) };
  const isSame =
    sameAmounts(hard, recordAt(before, 'hard')) &&
    sameAmounts(after.used, recordAt(before, 'used'));
  return isSame ? undefined : after;
}

/** Whether both have the same names with the same amounts, however they are written. */
function sameAmounts(left: JsonRecord | undefined, right: JsonRecord | undefined): boolean {
  const [one, other] = [amountsOf(left), amountsOf(right)];
  if (one.size !== other.size) return false;
  return [...one].every(([name, { nanos }]) => other.get(name)?.nanos === nanos);
}

interface CountedObjectsOptions extends ClusterParts {
  readonly client: Client;
  /** Something of a namespace was given back. */
  readonly onGivenBack: (resource: string, namespace: string) => void;
}

/** The pods, services and claims of the cluster. They count by what they say, so their metadata are not enough. */
class CountedObjects implements AsyncDisposable {
  readonly #options: CountedObjectsOptions;
  readonly #informers: ReadonlyMap<CountedWhole, SharedIndexInformer<UnstructuredObject>>;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(options: CountedObjectsOptions) {
    this.#options = options;
    const all = COUNTED_WHOLE.map((resource) => [resource, this.#informerOf(resource)] as const);
    this.#informers = new Map(all);
  }

  /** May be called again. A cluster without quotas needs no copies of its pods. */
  start(): void {
    const { signal } = this.#stop;
    const runs = (): Promise<void>[] =>
      [...this.#informers.values()].map((one) => one.run({ signal }));
    this.#running ??= Promise.allSettled(runs());
  }

  /** @throws {ListwatchError} code TIMEOUT naming what could not be listed. */
  async whenSynced(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const waits = [...this.#informers.values()].map((one) => one.whenSynced({ timeoutMs, signal }));
    await Promise.all(waits);
  }

  /** The objects of a namespace. */
  in(resource: CountedWhole, namespace: string): readonly UnstructuredObject[] {
    return this.#informers.get(resource)?.lister.namespace(namespace).list() ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #informerOf(resource: CountedWhole): SharedIndexInformer<UnstructuredObject> {
    const { client, onGivenBack, runtime, logger } = this.#options;
    const informer = new SharedIndexInformer<UnstructuredObject>({
      listerWatcher: client.listerWatcher({ apiVersion: 'v1', resource }),
      name: `${resource} that quotas count`,
      ...WITHIN_PROCESS,
      runtime,
      logger,
    });
    const report = ({ metadata }: UnstructuredObject): void => {
      onGivenBack(resource, metadata?.namespace ?? '');
    };
    informer.addHandler({
      onUpdate: (before, after) => {
        if (givesBack(resource, before, after, runtime.wallMs())) report(after);
      },
      onDelete: report,
    });
    return informer;
  }
}

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
      ...WITHIN_PROCESS,
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
