import type { ResourceClient } from '../../client/rest/resource-client.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import type { ControllerResult } from '../../controller/builder/run/controller-result.ts';
import { OWNER_INDEX } from '../../controller/builder/source/owner-index.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import { controllerOf } from '../../meta/object.ts';
import type { LabelSelector } from '../../meta/selectors/label-selector.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { podsToDelete } from '../ownership/deletion-order.ts';
import { failureMessage, isNamespaceEnding } from '../ownership/failure-message.ts';
import { ORPHAN_INDEX, selectorIndexValue } from '../ownership/orphans.ts';
import {
  isControlledBy,
  isPodActive,
  isPodTerminating,
  nextAvailableMs,
} from '../ownership/pod-activity.ts';
import { slowStart } from '../ownership/slow-start.ts';
import type { ReplicaKind, ReplicaOwner } from './replica-kind.ts';
import { isSameStatus, replicaStatus, type ReplicaFailure } from './replica-status.ts';

/** Pods that one run creates or deletes at most. */
const BURST = 500;

interface Failed extends ReplicaFailure {
  readonly error: unknown;
}

export interface ReplicaRunParts<T extends ReplicaOwner> {
  readonly kind: ReplicaKind<T>;
  readonly owner: Stored<T>;
  readonly context: ControllerContext;
  readonly selector: LabelSelector;
  readonly nowMs: number;
}

/** One run for one owner. */
export class ReplicaRun<T extends ReplicaOwner> {
  readonly #kind: ReplicaKind<T>;
  readonly #owner: Stored<T>;
  readonly #context: ControllerContext;
  readonly #nowMs: number;
  readonly #selector: LabelSelector;
  #wrote = false;
  /** Whether a further run has to go on where this one ends. */
  #isPartial = false;

  constructor({ kind, owner, context, selector, nowMs }: ReplicaRunParts<T>) {
    this.#kind = kind;
    this.#owner = owner;
    this.#context = context;
    this.#selector = selector;
    this.#nowMs = nowMs;
  }

  /** @throws the failure that the condition names, so that the next try comes after a back-off. */
  async run(): Promise<ControllerResult<T>> {
    const { owned } = this.#context;
    const before = owned('v1', 'pods');
    const claimed = await this.#claim(before);
    const { deletionTimestamp } = this.#owner.metadata;
    const failure = deletionTimestamp === undefined ? await this.#manage(claimed) : undefined;
    // To read pods is what costs most here.
    const pods = (this.#wrote ? owned('v1', 'pods') : before).filter((pod) => this.#isOwn(pod));
    const active = pods.filter(isPodActive);
    await this.#report(active, pods.filter(isPodTerminating), failure);
    if (failure !== undefined) throw failure.error;
    return { requeueAfterMs: this.#nextRunMs(active) };
  }

  async #claim(owned: readonly Stored<Pod>[]): Promise<Stored<Pod>[]> {
    const { byIndex } = this.#context;
    const { apiVersion, resource: plural } = this.#kind;
    const { name, namespace } = this.#owner.metadata;
    const value = selectorIndexValue(namespace, this.#selector);
    const orphans = byIndex('v1', 'pods', ORPHAN_INDEX, value);
    const wanted = orphans.filter(
      (pod) => isPodActive(pod) && this.#selector.matches(pod.metadata.labels),
    );
    return await claimObjects([...owned.filter(isPodActive), ...wanted], {
      owner: this.#owner,
      selector: this.#selector,
      fresh: () => this.#context.resource<ReplicaOwner>(apiVersion, plural).get(name),
      patch: ({ metadata }, patch) =>
        this.#podsToWrite().patch(metadata.name, patch, { type: 'strategic' }),
    });
  }

  #isOwn(pod: Stored<Pod>): boolean {
    return isControlledBy(pod, this.#owner) && this.#selector.matches(pod.metadata.labels);
  }

  #podsToWrite(): ResourceClient<Pod> {
    this.#wrote = true;
    return this.#context.resource('v1', 'pods');
  }

  async #manage(pods: readonly Stored<Pod>[]): Promise<Failed | undefined> {
    const missing = (this.#owner.spec?.replicas ?? 1) - pods.length;
    const count = Math.min(Math.abs(missing), BURST);
    this.#isPartial = count < Math.abs(missing);
    if (missing > 0) return await this.#create(count);
    return missing < 0 ? await this.#delete(pods, count) : undefined;
  }

  async #create(count: number): Promise<Failed | undefined> {
    const { event } = this.#context;
    const pods = this.#podsToWrite();
    const pod = this.#pod();
    const { error } = await slowStart(count, async () => {
      try {
        const { metadata } = await pods.create(pod);
        event({ reason: 'SuccessfulCreate', note: `Created pod: ${metadata.name}` });
      } catch (failure) {
        if (isNamespaceEnding(failure)) {
          this.#isPartial = false;
          return;
        }
        const note = `Error creating: ${failureMessage(failure)}`;
        event({ type: 'Warning', reason: 'FailedCreate', note });
        throw failure;
      }
    });
    if (error === undefined) return undefined;
    return { reason: 'FailedCreate', message: failureMessage(error), error };
  }

  #pod(): Pod {
    const { metadata, spec } = this.#owner.spec?.template ?? {};
    const { labels, annotations, finalizers } = metadata ?? {};
    const { name } = this.#owner.metadata;
    const ownerReferences = [this.#context.ownerReference];
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { generateName: `${name}-`, labels, annotations, finalizers, ownerReferences },
      spec,
    };
  }

  async #delete(pods: readonly Stored<Pod>[], count: number): Promise<Failed | undefined> {
    const { event } = this.#context;
    const written = this.#podsToWrite();
    const chosen = podsToDelete(pods, count, this.#related(), this.#nowMs);
    const results = await Promise.allSettled(
      chosen.map(async ({ metadata: { name } }) => {
        try {
          await written.delete(name);
          event({ reason: 'SuccessfulDelete', note: `Deleted pod: ${name}` });
        } catch (failure) {
          if (isNotFound(failure)) return;
          const note = `Error deleting: ${failureMessage(failure)}`;
          event({ type: 'Warning', reason: 'FailedDelete', note });
          throw failure;
        }
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return undefined;
    const message = `unable to delete pods: ${failureMessage(failed.reason)}`;
    return { reason: 'FailedDelete', message, error: failed.reason };
  }

  /** The pods of all revisions: of the owners that have the same controller. */
  #related(): readonly Stored<Pod>[] {
    const { byIndex } = this.#context;
    const { apiVersion, resource } = this.#kind;
    const controller = controllerOf(this.#owner);
    if (controller === undefined) return [];
    const siblings = byIndex<ReplicaOwner>(apiVersion, resource, OWNER_INDEX, controller.uid);
    return siblings.flatMap(({ metadata }) => byIndex('v1', 'pods', OWNER_INDEX, metadata.uid));
  }

  async #report(
    active: readonly Stored<Pod>[],
    terminating: readonly Stored<Pod>[],
    failed: Failed | undefined,
  ): Promise<void> {
    const { apiVersion, resource, countsTerminating } = this.#kind;
    const { metadata, status: present } = this.#owner;
    const failure = failed && { reason: failed.reason, message: failed.message };
    const counted = { active, terminating: countsTerminating ? terminating : undefined, failure };
    const status = replicaStatus(this.#owner, counted, this.#nowMs);
    if (isSameStatus(present, status)) return;
    // Only this controller writes these fields on purpose, so the write need not name a version.
    const patch = { metadata: { uid: metadata.uid }, status };
    const owners = this.#context.resource<ReplicaOwner>(apiVersion, resource);
    try {
      await owners.patch(metadata.name, patch, { type: 'merge', subresource: 'status' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #nextRunMs(active: readonly Stored<Pod>[]): number | undefined {
    const { minReadySeconds = 0 } = this.#owner.spec ?? {};
    if (this.#isPartial) return 1;
    if (minReadySeconds === 0) return undefined;
    const nowMs = this.#nowMs;
    return nextAvailableMs(active, { minReadySeconds, nowMs });
  }
}
