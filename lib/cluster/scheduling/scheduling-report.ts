import type { Client } from '../../client/rest/client.ts';
import type { EventSink } from '../../controller/events/event-sink.ts';
import { conditionOf } from '../../controller/helpers/conditions.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { timestamp } from '../ownership/pod-activity.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod, PodCondition } from '../../types/built-in/core-v1-kinds.ts';

/** Why a pod is not placed. */
export type PendingReason = 'Unschedulable' | 'SchedulerError';

export interface SchedulingReportOptions {
  readonly client: Client;
  readonly events: EventSink;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** Writes about pods, with the words of kube-scheduler. */
export class SchedulingReport {
  readonly #options: SchedulingReportOptions;

  constructor(options: SchedulingReportOptions) {
    this.#options = options;
  }

  /** @throws {ApiError} the pod cannot be placed. */
  async bind(pod: Stored<Pod>, node: string): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const metadata = { name, namespace, uid };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata, target };
    await this.#pods(namespace).subresource('binding').create(name, body);
    this.#options.events.event(pod, {
      reason: 'Scheduled',
      action: 'Binding',
      note: `Successfully assigned ${namespace}/${name} to ${node}`,
    });
  }

  skipped(pod: Stored<Pod>): void {
    const { namespace, name } = pod.metadata;
    this.#failed(pod, `skip schedule deleting pod: ${namespace}/${name}`);
  }

  /** Writes condition and nominated node if they are not as they should be. An undefined node stays as it is. */
  async pending(
    pod: Stored<Pod>,
    reason: PendingReason,
    message: string,
    nominatedNodeName: string | undefined,
  ): Promise<void> {
    this.#failed(pod, message);
    const condition = { type: 'PodScheduled', status: 'False', reason, message } as const;
    const conditions = this.#changed(pod, condition);
    const isNominated =
      nominatedNodeName === undefined ||
      nominatedNodeName === (pod.status?.nominatedNodeName ?? '');
    if (conditions === undefined && isNominated) return;
    const node = isNominated ? {} : { nominatedNodeName: nominatedNodeName || null };
    await this.#patch(pod, { ...(conditions === undefined ? {} : { conditions }), ...node });
  }

  /** Deletes a pod for the sake of another one. */
  async preempt(victim: Stored<Pod>, preemptor: Stored<Pod>, node: string): Promise<void> {
    const { namespace, name } = victim.metadata;
    const scheduler = preemptor.spec?.schedulerName ?? 'default-scheduler';
    const conditions = this.#changed(victim, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${scheduler}: preempting to accommodate a higher priority pod`,
    });
    try {
      if (conditions !== undefined) await this.#patch(victim, { conditions });
      const { uid } = victim.metadata;
      await this.#pods(namespace).delete(name, { preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return;
    }
    this.#options.events.event(victim, {
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${preemptor.metadata.uid} on node ${node}`,
    });
  }

  /** The node to which the pod will come once its volumes are there. */
  async nominate(pod: Stored<Pod>, node: string): Promise<void> {
    if (pod.status?.nominatedNodeName === node) return;
    await this.#patch(pod, { nominatedNodeName: node });
  }

  async clearNomination(pod: Stored<Pod>): Promise<void> {
    await this.#patch(pod, { nominatedNodeName: null });
  }

  #failed(pod: Stored<Pod>, note: string): void {
    this.#options.events.event(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note,
    });
  }

  /** Undefined if the pod has the condition already. */
  #changed(
    pod: Stored<Pod>,
    wanted: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>,
  ): readonly object[] | undefined {
    const old = conditionOf(pod, wanted.type);
    const isSame = old?.status === wanted.status;
    if (isSame && old.reason === wanted.reason && old.message === wanted.message) return undefined;
    const now = timestamp(this.#options.runtime.wallMs());
    const lastTransitionTime = isSame ? (old.lastTransitionTime ?? now) : now;
    const observedGeneration = pod.metadata.generation;
    return [{ ...wanted, lastProbeTime: null, lastTransitionTime, observedGeneration }];
  }

  async #patch(pod: Stored<Pod>, status: object): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const patch = { metadata: { uid }, status };
    await this.#pods(namespace).patch(name, patch, { subresource: 'status', type: 'strategic' });
  }

  #pods(namespace: string | undefined): ReturnType<typeof podsOf> {
    return podsOf(this.#options.client, namespace, this.#options.signal);
  }
}

function podsOf(client: Client, namespace: string | undefined, signal: AbortSignal) {
  return client.resource('v1', 'pods', { namespace, signal });
}
