import type { Client } from '../../client/rest/client.ts';
import { ReconcileLoop } from '../../controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { ObjectMeta, UnstructuredObject } from '../../meta/object.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import type { ResourceMonitors } from '../resources/resource-monitors.ts';
import type { IsUsed, ProtectedKind, ProtectedObject, UserChange } from './protected-kind.ts';

export interface InUseProtectionOptions extends ClusterParts {
  readonly client: Client;
  readonly kind: ProtectedKind;
  /** Started and stopped by their owner. */
  readonly monitors: ResourceMonitors;
}

/** The state of the protection of one kind. */
export interface ProtectionInspection {
  /** Deleted objects that are used, or that were not looked at yet. */
  readonly kept: number;
}

const WORKERS = 4;
/** Changes of users come in groups. */
const GATHER_MS = 50;
/** After this time, an attempt without the first lists counts as failed. */
const FIRST_LISTS_MS = 30_000;

/**
 * Removes the protection finalizer from deleted objects of a kind that nothing uses, and gives it back to those that lost it before.
 *
 * Guarantees:
 * - The users of a deleted object are read from the server after its deletion was seen, so a user that was made before counts.
 * - The finalizer is written with the resource version of the object that was seen. A change that came meanwhile is not lost.
 *
 * It follows the metadata that all controllers share. Only objects that lack the finalizer or that are being deleted are kept here.
 */
export class InUseProtection implements AsyncDisposable {
  readonly #options: InUseProtectionOptions;
  readonly #queue: RateLimitingQueue;
  /** By batch and uid: the objects whose finalizers are not as they will be. */
  readonly #unsettled = new Map<string, Map<string, ProtectedObject>>();
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: InUseProtectionOptions) {
    const { kind, monitors, runtime, logger } = options;
    this.#options = options;
    const name = `protection of ${kind.fullName}`;
    this.#queue = new RateLimitingQueue({ name, runtime, logger });
    monitors.addHandler({
      resources: [kind.fullName],
      present: (_resource, metadata) => this.#see(protectedObject(metadata)),
      gone: (_resource, metadata) => this.#forget(protectedObject(metadata)),
    });
    monitors.addHandler({
      resources: kind.users,
      present: (_resource, metadata, before) => {
        if (before !== undefined) this.#lookAgain(metadata, 'updated');
      },
      gone: (_resource, metadata) => this.#lookAgain(metadata, 'gone'),
    });
  }

  start(): void {
    const { runtime, logger } = this.#options;
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: ({ key }, { signal }) => this.#settle(key, signal),
      concurrency: WORKERS,
      isExpected: isConflict,
      runtime,
      logger,
    });
    this.#running = loop.run({ signal: this.#stop.signal });
  }

  inspect(): ProtectionInspection {
    let kept = 0;
    for (const batch of this.#unsettled.values()) {
      for (const { isGoing } of batch.values()) if (isGoing) kept += 1;
    }
    return { kept };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #see(object: ProtectedObject): void {
    const { kind } = this.#options;
    // A deleted object has the finalizer still, and another one should have it.
    if (object.isGoing !== object.finalizers.includes(kind.finalizer)) {
      this.#forget(object);
      return;
    }
    const key = kind.batchOf(object);
    const batch = this.#unsettled.get(key) ?? new Map<string, ProtectedObject>();
    batch.set(object.uid, object);
    this.#unsettled.set(key, batch);
    this.#queue.add(key);
  }

  #forget(object: ProtectedObject): void {
    const key = this.#options.kind.batchOf(object);
    const batch = this.#unsettled.get(key);
    batch?.delete(object.uid);
    if (batch?.size === 0) this.#unsettled.delete(key);
  }

  #lookAgain(user: ObjectMeta, change: UserChange): void {
    if (this.#unsettled.size === 0) return;
    const key = this.#options.kind.batchAfter(user, change);
    if (key !== undefined && this.#unsettled.has(key)) this.#queue.addAfter(key, GATHER_MS);
  }

  async #settle(key: string, signal: AbortSignal): Promise<void> {
    const { client, kind, monitors } = this.#options;
    // Before that, the end of a user that is found below may not be reported.
    await monitors.whenSynced(FIRST_LISTS_MS, signal, kind.users);
    // Exactly these were deleted before their users are read.
    const objects = [...(this.#unsettled.get(key)?.values() ?? [])];
    const isUsed = kind.usage(client, key, signal);
    const failures: unknown[] = [];
    for (const object of objects) {
      signal.throwIfAborted();
      try {
        await this.#settleOne(object, isUsed, signal);
      } catch (error) {
        // The others do not wait for it.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures.find((one) => !isConflict(one)) ?? failures[0];
  }

  async #settleOne(object: ProtectedObject, isUsed: IsUsed, signal: AbortSignal): Promise<void> {
    const { client, kind } = this.#options;
    if (object.isGoing && (await isUsed(object))) return;
    const { namespace, name, uid, resourceVersion } = object;
    const others = object.finalizers.filter((one) => one !== kind.finalizer);
    const finalizers = object.isGoing ? others : [...others, kind.finalizer];
    const calls = client.resource<UnstructuredObject>(kind.apiVersion, kind.resource, {
      ...(namespace === '' ? {} : { namespace }),
      signal,
    });
    try {
      await calls.patch(
        name,
        { metadata: { uid, resourceVersion, finalizers } },
        { type: 'merge' },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    // A change that was seen meanwhile has another version.
    if (this.#unsettled.get(kind.batchOf(object))?.get(uid) === object) this.#forget(object);
  }
}

function protectedObject(metadata: ObjectMeta): ProtectedObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  const { finalizers = [], ownerReferences = [], deletionTimestamp } = metadata;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    finalizers: [...finalizers],
    isGoing: deletionTimestamp !== undefined,
    controlledBy: ownerReferences.find(({ controller }) => controller === true)?.uid ?? '',
  };
}
