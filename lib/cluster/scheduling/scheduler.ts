import type { EventRecorder } from '../../controller/events/event-recorder.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import { clusterEvents } from '../resources/cluster-events.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { ClusterState } from './model/cluster-state.ts';
import { ClusterWatch } from './cluster-watch.ts';
import { FilterRun } from './filter-run.ts';
import { type Diagnosis, fitMessage, NO_NODES } from './fit-message.ts';
import { NodeInfo } from './model/node-info.ts';
import type { PodFacts } from './model/pod-facts.ts';
import { claimsOf, type VolumeChoice, type VolumeLookup, volumesOn } from './model/pod-volumes.ts';
import { evictVictims, type EvictionParts } from './evictions.ts';
import { Lookups } from './lookups.ts';
import { preempt } from './pod-preemption.ts';
import type { Candidate } from './victims.ts';
import { NodeSearch } from './node-search.ts';
import { Nominations } from './nominations.ts';
import { type PendingReason, SchedulingReport } from './scheduling-report.ts';
import { type QueueCounts, SchedulingQueue, type WaitingPod } from './scheduling-queue.ts';

/** So many pods are on their way to a node at once. */
const BINDINGS = 16;
/** So many pods are tried before others get a turn. */
const SLICE = 16;
const NO_PLUGINS: ReadonlySet<never> = new Set();

/** The work of the scheduler. */
export interface SchedulerInspection extends QueueCounts {
  readonly nodes: number;
  /** Pods with a node. */
  readonly placed: number;
  /** Pods on their way to a node. */
  readonly binding: number;
}

/**
 * Places pods on nodes, as kube-scheduler does with its default profile: pods without a node whose scheduler is `default-scheduler`.
 *
 * Guarantees:
 * - A pod is tried again only when something has changed that may help it, and never more often than there are such changes.
 * - What a pod that is on its way to a node takes there is counted from the moment of the decision.
 *
 * Not modeled: `ImageLocality`, limits of attached volumes, zones of volumes by labels, dynamic resources, pod groups, extenders.
 * @see pkg/scheduler/schedule_one.go @ v1.37.2
 */
export class Scheduler implements ClusterPart {
  readonly #parts: WorkloadParts;
  readonly #state = new ClusterState();
  readonly #nominations: Nominations;
  readonly #queue: SchedulingQueue;
  readonly #watch: ClusterWatch;
  readonly #search: NodeSearch;
  readonly #lookups: Lookups;
  readonly #eviction: EvictionParts;
  readonly #events: EventRecorder;
  readonly #report: SchedulingReport;
  readonly #podOf: (facts: PodFacts) => Stored<Pod> | undefined;
  readonly #stop = new AbortController();
  /** Writes under way about pods that found no node, by their uid. */
  readonly #notices = new Map<string, Promise<void>>();
  readonly #writes = new Set<Promise<void>>();
  #binding = 0;
  #ready = false;
  #planned = false;
  #started: Promise<void> = Promise.resolve();

  constructor(parts: WorkloadParts) {
    const { client, informers, runtime, logger } = parts;
    this.#parts = parts;
    const state = this.#state;
    const queue = new SchedulingQueue({ runtime, onReady: () => this.#wake() });
    const nominations = new Nominations((pod) => queue.changed({ kind: 'pod-gone', pod }));
    this.#nominations = nominations;
    this.#queue = queue;
    const { signal } = this.#stop;
    const lookups = new Lookups({ client, informers, runtime, signal, state, queue });
    this.#lookups = lookups;
    const onPodGone = (): void => lookups.volumes.lookAgain();
    this.#watch = new ClusterWatch({ informers, state, queue, nominations, onPodGone });
    this.#search = new NodeSearch(state, runtime);
    this.#events = clusterEvents(
      client,
      'default-scheduler',
      { runtime, logger },
      'events.k8s.io/v1',
    );
    const report = new SchedulingReport({ client, events: this.#events, runtime, signal });
    this.#report = report;
    const pods = informers.for('v1', 'pods');
    this.#podOf = ({ key, uid }) => {
      const pod = pods.indexer.get(key);
      return pod?.metadata.uid === uid ? pod : undefined;
    };
    const podOf = this.#podOf;
    this.#eviction = { state, queue, nominations, report, logger, podOf };
  }

  start(): void {
    const { logger } = this.#parts;
    this.#started = this.#begin().catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      logger.error('the scheduler did not start', { error: errorMessage(error) });
    });
  }

  inspect(): SchedulerInspection {
    const { nodes, podCount: placed } = this.#state;
    return { ...this.#queue.counts, nodes: nodes.length, placed, binding: this.#binding };
  }

  /** Pods that no node fits wait for a change. */
  pending(): string | undefined {
    if (!this.#ready) return 'the first lists of the scheduler';
    const { active, backingOff, binding } = this.inspect();
    const count = active + backingOff + binding;
    return count === 0 ? undefined : `${count} pods to be placed`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#queue.close();
    await this.#started;
    await this.#watch[Symbol.asyncDispose]();
    await this.#lookups[Symbol.asyncDispose]();
    await Promise.all(this.#writes);
    await this.#events.close();
  }

  async #begin(): Promise<void> {
    await this.#watch.start(this.#stop.signal);
    this.#ready = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#planned || !this.#ready) return;
    this.#planned = true;
    this.#parts.runtime.queueTask(() => {
      this.#planned = false;
      this.#slice();
    });
  }

  #slice(): void {
    for (let tried = 0; tried < SLICE; tried += 1) {
      if (this.#stop.signal.aborted || this.#binding >= BINDINGS) return;
      const waiting = this.#queue.take();
      if (waiting === undefined) return;
      this.#try(waiting);
    }
    this.#wake();
  }

  #try(waiting: WaitingPod): void {
    const { pod, facts, uid } = waiting;
    if (facts.deleting) {
      this.#report.skipped(pod);
      this.#queue.delete(uid);
      return;
    }
    try {
      if (this.#lookups.isReady(waiting)) this.#place(waiting);
    } catch (error) {
      this.#erred(waiting, error);
    }
  }

  #place(waiting: WaitingPod): void {
    if (this.#state.nodes.length === 0) {
      this.#unplaced(waiting, NO_NODES, NO_PLUGINS, '');
      return;
    }
    const run = new FilterRun(waiting, this.#state, (name) => this.#nominations.on(name));
    const found = this.#search.find(run, this.#nominations.nodeOf(waiting.uid));
    if (found instanceof NodeInfo) this.#assume(waiting, found);
    else if (this.#lookups.canPreempt(waiting)) this.#unfit(waiting, run, found);
  }

  #unfit(waiting: WaitingPod, run: FilterRun, diagnosis: Diagnosis): void {
    const { runtime } = this.#parts;
    const parts = {
      state: this.#state,
      runtime,
      podOf: this.#podOf,
      budgets: () => this.#lookups.budgets(),
    };
    const before = this.#nominations.nodeOf(waiting.uid);
    const { message, candidate, nominated } = preempt(run, diagnosis, before, parts);
    const text = fitMessage(diagnosis, message);
    const { plugins } = diagnosis;
    this.#unplaced(waiting, text, plugins, nominated, candidate);
  }

  /** From now on the pod counts on its node, and its volumes are taken. */
  #assume(waiting: WaitingPod, node: NodeInfo): void {
    const { volumes } = this.#lookups;
    const choice = choiceFor(waiting, node, volumes);
    if (choice !== undefined) volumes.choose(choice);
    this.#state.place(waiting.facts, node.name, true);
    this.#nominations.delete(waiting.uid);
    void this.#write(
      choice === undefined
        ? this.#bind(waiting, node.name)
        : this.#bindWithVolumes(waiting, node.name, choice),
    );
  }

  async #bindWithVolumes(waiting: WaitingPod, node: string, choice: VolumeChoice): Promise<void> {
    const { uid, pod } = waiting;
    const { volumes } = this.#lookups;
    const isWanted = (): boolean => this.#queue.has(uid);
    try {
      await this.#report.nominate(pod, node);
      await volumes.bind(choice, node, isWanted);
    } catch (error) {
      this.#unbound(waiting, error);
      return;
    } finally {
      volumes.release(choice);
    }
    if (isWanted()) await this.#bind(waiting, node);
  }

  async #bind(waiting: WaitingPod, node: string): Promise<void> {
    this.#binding += 1;
    try {
      // The notice about its last attempt must not come after it has a node.
      await this.#notices.get(waiting.uid);
      await this.#report.bind(waiting.pod, node);
      this.#queue.delete(waiting.uid);
    } catch (error) {
      this.#unbound(waiting, error);
    } finally {
      this.#binding -= 1;
      this.#wake();
    }
  }

  /** The pod does not count on its node any more. */
  #unbound(waiting: WaitingPod, error: unknown): void {
    const { uid, facts } = waiting;
    if (this.#stop.signal.aborted) return;
    if (this.#state.isAssumed(uid)) {
      this.#state.remove(uid);
      this.#queue.changed({ kind: 'pod-gone', pod: facts });
    }
    // It is gone, or has a node: its informer is about to say so.
    if (isNotFound(error) || isConflict(error)) this.#queue.retried(waiting);
    else this.#erred(waiting, error);
  }

  #erred(waiting: WaitingPod, error: unknown): void {
    const message = errorMessage(error);
    this.#parts.logger.warn('a pod could not be placed', {
      pod: waiting.facts.key,
      error: message,
    });
    this.#queue.retried(waiting);
    this.#notify(waiting, 'SchedulerError', message, '');
  }

  #unplaced(
    waiting: WaitingPod,
    message: string,
    against: Diagnosis['plugins'],
    nominated: string | undefined,
    candidate?: Candidate,
  ): void {
    if (candidate === undefined) this.#queue.failed(waiting, against);
    else void this.#write(evictVictims(waiting, candidate, against, this.#eviction));
    if (nominated !== undefined) this.#nominations.set(waiting.facts, nominated);
    this.#notify(waiting, 'Unschedulable', message, nominated);
  }

  #notify(
    { pod }: WaitingPod,
    reason: PendingReason,
    message: string,
    nominated: string | undefined,
  ): void {
    const { uid } = pod.metadata;
    const before = this.#notices.get(uid);
    const write = async (): Promise<void> => {
      await before;
      await this.#report.pending(pod, reason, message, nominated);
    };
    const notice = this.#write(write()).finally(() => {
      if (this.#notices.get(uid) === notice) this.#notices.delete(uid);
    });
    this.#notices.set(uid, notice);
  }

  /** In the background; a pod that is gone needs no report. */
  #write(writing: Promise<void>): Promise<void> {
    const done = writing
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted || isNotFound(error) || isConflict(error)) return;
        this.#parts.logger.warn('the scheduler could not write', { error: errorMessage(error) });
      })
      .finally(() => this.#writes.delete(done));
    this.#writes.add(done);
    return done;
  }
}

function choiceFor(
  { pod, facts }: WaitingPod,
  node: NodeInfo,
  lookup: VolumeLookup,
): VolumeChoice | undefined {
  const claims = facts.claims.length === 0 ? undefined : claimsOf(pod, lookup);
  if (claims === undefined || typeof claims === 'string') return undefined;
  const choice = claims.waiting.length === 0 ? undefined : volumesOn(node, claims, lookup);
  return typeof choice === 'string' ? undefined : choice;
}
