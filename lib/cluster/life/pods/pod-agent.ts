import type { NewEvent } from '../../../controller/events/event-sink.ts';
import type { ResourceClient } from '../../../client/rest/resource-client.ts';
import { isConflict, isNotFound } from '../../../meta/failure/failures.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { Pod, PodCondition, PodStatus } from '../../../types/built-in/core-v1-kinds.ts';
import { isAlive } from '../containers/container-life.ts';
import type { NodeState } from '../nodes/node-state.ts';
import { nodeRefusal, type NodeUse, type PodFailure } from '../nodes/node-fit.ts';
import type { LifePod } from './life-pod.ts';
import { PodContainers, type PodParts } from './pod-containers.ts';
import { podLifeStatus, rejectedStatus, statusPatch } from './pod-life-status.ts';
import type { PodSupplies } from './pod-supplies.ts';
import { allocationOf, resizeOf, type Allocation } from './resized-pod.ts';
import { timestamp } from '../clock/life-clock.ts';
import { isDone, isStopped } from './pod-plan.ts';
import { isRestored } from './restored-pod.ts';

export interface PodAgentOptions {
  readonly parts: PodParts;
  readonly key: string;
  readonly pod: LifePod;
  readonly node: NodeState;
  readonly supplies: PodSupplies;
  readonly onEvent: (pod: LifePod, event: NewEvent) => void;
  /** The pod is to be looked at. */
  readonly onFact: () => void;
}

/** A status that only says that containers are being made is not written when they run so soon. */
const SOON_MS = 1000;
const DEFAULT_GRACE_SECONDS = 30;
const DEADLINE: PodFailure = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** One pod on a node: its containers, its status, and its end. Its calls come one at a time. */
export class PodAgent {
  readonly key: string;
  readonly uid: string;
  readonly node: NodeState;
  readonly #options: PodAgentOptions;
  readonly #containers: PodContainers;
  readonly #startedMs: number;
  #pod: LifePod;
  #failure: PodFailure | undefined;
  #isRejected = false;
  #podIP: string | undefined;
  /** Its containers are to end by then: all of them share one grace period. */
  #killMs = Infinity;
  #isTerminal = false;
  #isDeleted = false;
  #isEnded = false;
  #isReleased = false;
  #isSupplied = false;
  #allocated: Allocation;
  #resizing: PodCondition | undefined;
  #mountNote: string | undefined;

  constructor(options: PodAgentOptions) {
    const { parts, key, pod, node } = options;
    this.#options = options;
    this.key = key;
    this.uid = pod.metadata.uid;
    this.node = node;
    this.#pod = pod;
    this.#allocated = allocationOf(pod);
    const nowMs = parts.clock.nowMs();
    this.#startedMs = Date.parse(pod.status?.startTime ?? '') || nowMs;
    if (isRestored(pod)) this.#keep(pod);
    else this.#admit();
    const onEvent = (event: NewEvent): void => options.onEvent(this.#pod, event);
    const { onFact } = options;
    this.#containers = new PodContainers({ parts, pod, node, onEvent, onFact });
  }

  get pod(): LifePod {
    return this.#pod;
  }

  get containers(): PodContainers {
    return this.#containers;
  }

  /** For people: the phase, or why it waits. */
  get state(): string {
    const { deletionTimestamp } = this.#pod.metadata as Pod['metadata'] & object;
    if (deletionTimestamp !== undefined) return 'Terminating';
    const waiting = this.#containers.lives.find(({ reason }) => reason !== undefined);
    return waiting?.reason ?? this.#pod.status?.phase ?? 'Pending';
  }

  /** The pod as the API server has it now. */
  observe(pod: LifePod): void {
    if (isOlder(pod.metadata.resourceVersion, this.#pod.metadata.resourceVersion)) return;
    this.#pod = pod;
    this.#containers.update(pod);
  }

  /** Takes the pod as far as it comes, and writes what has changed; resolves to the time until the next look. */
  async sync(pods: ResourceClient<Pod>, signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.#options.parts;
    if (!this.#isSupplied && !this.#isRejected) await this.#supply(signal);
    const nowMs = clock.nowMs();
    if (!this.#isRejected) this.#resize(nowMs);
    const dueMs = this.#isRejected ? undefined : this.#advance(nowMs);
    await this.#report(pods, nowMs, dueMs);
    if (this.#isTerminal || this.#isRejected) {
      this.#releaseNode();
      await this.#delete(pods);
    }
    return dueMs === undefined ? undefined : Math.max(1, dueMs - clock.nowMs());
  }

  /** The pod is gone, or not ours any more. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.supplies.forget(this.key);
    this.#containers.end();
    this.#releaseNode();
  }

  /** Its spec may ask for other resources than it has. */
  #resize(nowMs: number): void {
    const { node, key, onEvent, onFact } = this.#options;
    const before = this.#resizing;
    this.#resizing = undefined;
    if (this.#isTerminal || node.node === undefined) return;
    const use = (): NodeUse => node.useWithout(key);
    const result = resizeOf(this.#pod, this.#allocated, node.node, use);
    if (result.decision === 'wait') {
      const { reason, message = '' } = result.condition;
      const isSame = before?.reason === reason && before?.message === message;
      const lastTransitionTime = before?.lastTransitionTime ?? timestamp(nowMs);
      this.#resizing = { ...result.condition, lastTransitionTime };
      if (reason === 'Deferred') node.waitForRoom(key, onFact);
      const event = { type: 'Warning', reason: `Resize${reason}`, note: message } as const;
      if (!isSame) onEvent(this.#pod, event);
    } else if (result.decision === 'allocate') {
      this.#allocated = allocationOf(this.#pod);
      node.take(key, this.#pod.spec);
      const { terminationGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = this.#pod.spec;
      for (const name of result.restarted) {
        this.#containers.restart(name, terminationGracePeriodSeconds * 1000);
      }
      onEvent(this.#pod, { reason: 'ResizeCompleted', note: 'Pod resize completed' });
    }
  }

  /** Its volumes and the variables of its containers. Once all are there, they are not looked at again. */
  async #supply(signal: AbortSignal): Promise<void> {
    const { supplies, onEvent } = this.#options;
    const missing = await supplies.missing(this.key, this.#pod, signal);
    this.#isSupplied = missing === undefined;
    this.#containers.lack(missing);
    const note = missing?.mount;
    if (note !== undefined && note !== this.#mountNote) {
      onEvent(this.#pod, { type: 'Warning', reason: 'FailedMount', note });
    }
    this.#mountNote = note;
  }

  #admit(): void {
    const { node, pod, onEvent, key } = this.#options;
    const refusal = node.node && nodeRefusal(pod, node.node, node.use);
    if (refusal !== undefined) {
      this.#failure = refusal;
      this.#isRejected = true;
      onEvent(pod, { type: 'Warning', reason: refusal.reason, note: refusal.message });
      return;
    }
    this.#podIP = pod.spec.hostNetwork === true ? node.address : node.pods.take();
    node.take(key, pod.spec);
  }

  /** It was on the node before this process. */
  #keep({ status, spec }: LifePod): void {
    const { node, key } = this.#options;
    node.take(key, spec);
    this.#podIP = status?.podIP ?? (spec.hostNetwork === true ? node.address : node.pods.take());
    if (spec.hostNetwork !== true) node.pods.reserve(this.#podIP);
  }

  #advance(nowMs: number): number | undefined {
    const { spec, status, metadata } = this.#pod;
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata as NonNullable<
      Pod['metadata']
    >;
    const isDeleted = deletionTimestamp !== undefined;
    const deadlineMs =
      spec.activeDeadlineSeconds === undefined || this.#isTerminal
        ? undefined
        : this.#startedMs + spec.activeDeadlineSeconds * 1000;
    const isFinal = status?.phase === 'Failed' || status?.phase === 'Succeeded';
    const { terminationGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = spec;
    const graceMs = (isDeleted ? deletionGracePeriodSeconds : terminationGracePeriodSeconds) * 1000;
    let dueMs: number | undefined;
    // Its containers may be done with a step, and the sidecars end then.
    for (let wasDone: boolean | undefined; ; ) {
      const isDonePod = isDone({ spec, containers: this.#containers.lives });
      if (isDonePod === wasDone) break;
      wasDone = isDonePod;
      if (deadlineMs !== undefined && deadlineMs <= nowMs && !isDeleted && !isDonePod)
        this.#expire();
      const isEnding = isDeleted || isFinal || isDonePod || this.#failure !== undefined;
      if (isEnding && nowMs + graceMs < this.#killMs) {
        this.#killMs = nowMs + graceMs;
        this.#containers.hasten(nowMs, graceMs);
      }
      dueMs = this.#containers.advance(nowMs, isEnding, Math.max(0, this.#killMs - nowMs));
      this.#isTerminal = isEnding && isStopped({ containers: this.#containers.lives });
    }
    if (this.#isTerminal || this.#failure !== undefined || isDeleted) return dueMs;
    return deadlineMs === undefined ? dueMs : Math.min(dueMs ?? deadlineMs, deadlineMs);
  }

  #expire(): void {
    if (this.#failure !== undefined) return;
    this.#failure = DEADLINE;
    const { reason, message } = DEADLINE;
    this.#options.onEvent(this.#pod, { reason, note: message });
  }

  async #report(
    pods: ResourceClient<Pod>,
    nowMs: number,
    dueMs: number | undefined,
  ): Promise<void> {
    if (this.#isDeleted) return;
    const wanted = this.#status(nowMs);
    const present = this.#pod.status;
    if (dueMs !== undefined && dueMs - nowMs <= SOON_MS && this.#isOnlyCreating()) return;
    const status = statusPatch(present, wanted);
    if (status === undefined) return;
    const { name, uid } = this.#pod.metadata;
    try {
      const patched = await pods.patch(
        name,
        { metadata: { uid }, status },
        { type: 'strategic', subresource: 'status' },
      );
      this.observe({ ...patched, spec: patched.spec ?? this.#pod.spec });
    } catch (error) {
      // The pod is gone, or another one has its name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #status(nowMs: number): PodStatus {
    const { node, parts } = this.#options;
    const pod = this.#pod;
    if (this.#isRejected && this.#failure !== undefined) {
      return rejectedStatus(pod, this.#failure, nowMs);
    }
    return podLifeStatus({
      pod,
      containers: this.#containers.lives,
      images: parts.images,
      hostIP: node.address,
      podIP: this.#podIP,
      startedMs: this.#startedMs,
      failure: this.#failure,
      allocated: this.#allocated,
      resize: this.#resizing,
      isTerminal: this.#isTerminal,
      nowMs,
    });
  }

  /** Nothing of it has been written yet, and nothing but its creation could be written now. */
  #isOnlyCreating(): boolean {
    const { phase = 'Pending', containerStatuses } = this.#pod.status ?? {};
    if (phase !== 'Pending' || containerStatuses !== undefined) return false;
    const isQuiet = this.#containers.lives.every(
      (one) => !isAlive(one) && one.exit === undefined && one.reason === undefined,
    );
    return isQuiet && this.#failure === undefined;
  }

  /** Its addresses and resources are free again. */
  #releaseNode(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.node.release(this.key);
    if (this.#podIP === undefined || this.#pod.spec.hostNetwork === true) return;
    this.node.pods.release(this.#podIP);
  }

  /** The last step of a graceful deletion: nothing of the pod runs any more. */
  async #delete(pods: ResourceClient<Pod>): Promise<void> {
    const { name, uid } = this.#pod.metadata;
    const { deletionTimestamp } = this.#pod.metadata as NonNullable<Pod['metadata']>;
    if (deletionTimestamp === undefined || this.#isDeleted) return;
    try {
      await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    this.#isDeleted = true;
  }
}
