import { Heap } from '../../kernel/data/heap.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { type PodToPlace, sameLabels } from './model/pod-facts.ts';
import type { PluginName } from './model/plugin.ts';
import { type ClusterChange, mayHelp } from './requeue-rules.ts';

type Place = 'gated' | 'active' | 'backing-off' | 'unschedulable' | 'in-work';

/** A pod that has no node yet. */
export interface WaitingPod extends PodToPlace {
  readonly uid: string;
  readonly place: Place;
  /** The plug-ins that were against it at its last attempt. */
  readonly against: ReadonlySet<PluginName>;
  readonly attempts: number;
}

type Entry = { -readonly [Field in keyof WaitingPod]: WaitingPod[Field] } & {
  /** Attempts in a row that failed for another reason than that no node fits. */
  errors: number;
  sequence: number;
  dueMs: number;
};

export interface QueueCounts {
  readonly active: number;
  readonly backingOff: number;
  readonly unschedulable: number;
  readonly gated: number;
}

const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 10_000;

/** The pause after so many failures in a row: 1 s, which doubles up to 10 s. */
export function backoffMs(failures: number): number {
  if (failures <= 0) return 0;
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10));
}

/** The plug-ins that a change of a kind may concern, where it is not each. */
const INTERESTED: Partial<Record<ClusterChange['kind'], readonly PluginName[]>> = {
  'pod-placed': ['PodTopologySpread', 'InterPodAffinity'],
  'pod-labels': ['PodTopologySpread', 'InterPodAffinity'],
  volumes: ['VolumeBinding', 'VolumeRestrictions'],
  namespaces: ['InterPodAffinity'],
};

export interface SchedulingQueueOptions {
  readonly runtime: Runtime;
  /** There is a pod to take. */
  readonly onReady: () => void;
}

/**
 * The pods without a node: by priority, and those of one priority in the order in which they came.
 *
 * A pod that found no node waits until something changes that may help it. Then it is tried again: at once if no other pod is waiting,
 * or else after a back-off. A pod whose attempt failed for another reason is tried again after a back-off.
 *
 * Not as in kube-scheduler: no pod is tried again every five minutes, and none every ten seconds while there is no node, so that nothing
 * happens in a cluster in which nothing changes.
 * @see pkg/scheduler/backend/queue/scheduling_queue.go @ v1.37.2
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #active = new Heap<Entry>({ keyOf: uidOf, isBefore: isFirst });
  /** Those that no node did fit. */
  readonly #resting = new Heap<Entry>({ keyOf: uidOf, isBefore: isDueBefore });
  /** Those whose attempt failed for another reason. */
  readonly #erring = new Heap<Entry>({ keyOf: uidOf, isBefore: isDueBefore });
  readonly #unschedulable = new Set<Entry>();
  /** How many of these a plug-in was against. */
  readonly #against = new Map<PluginName, number>();
  #gated = 0;
  #sequence = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
  }

  get counts(): QueueCounts {
    return {
      active: this.#active.size,
      backingOff: this.#resting.size + this.#erring.size,
      unschedulable: this.#unschedulable.size,
      gated: this.#gated,
    };
  }

  has(uid: string): boolean {
    return this.#entries.has(uid);
  }

  add({ pod, facts }: PodToPlace): void {
    const { uid } = facts;
    if (this.#entries.has(uid)) {
      this.update({ pod, facts });
      return;
    }
    const entry: Entry = {
      uid,
      pod,
      facts,
      place: 'in-work',
      against: new Set(),
      attempts: 0,
      errors: 0,
      sequence: (this.#sequence += 1),
      dueMs: 0,
    };
    this.#entries.set(uid, entry);
    this.#move(entry, isGated(entry) ? 'gated' : 'active');
  }

  /** Another state of a waiting pod. Its own status is no reason to try again. */
  update({ pod, facts }: PodToPlace): void {
    const entry = this.#entries.get(facts.uid);
    if (entry === undefined) return;
    const isOther =
      facts.deleting ||
      entry.pod.metadata.generation !== pod.metadata.generation ||
      !sameLabels(entry.facts.labels, facts.labels);
    entry.pod = pod;
    entry.facts = facts;
    if (entry.place === 'gated' && !isGated(entry)) {
      this.#leave(entry);
      this.#move(entry, 'active');
    } else if (entry.place === 'active') this.#active.set(entry);
    else if (entry.place === 'unschedulable' && isOther) {
      if (facts.deleting || mayHelp(entry, entry.against, { kind: 'pod-itself' })) {
        this.#again(entry);
      }
    }
  }

  delete(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#leave(entry);
    this.#entries.delete(uid);
  }

  /** The next pod; it is in work until `failed`, `retried`, `again` or `delete`. */
  take(): WaitingPod | undefined {
    this.#activateDue(this.#resting);
    const entry = this.#active.peek() ?? this.#resting.peek();
    if (entry === undefined) return undefined;
    this.#leave(entry);
    entry.place = 'in-work';
    entry.attempts += 1;
    return entry;
  }

  /** No node fits: the pod waits for a change. */
  failed({ uid }: WaitingPod, against: ReadonlySet<PluginName>): void {
    const entry = this.#entries.get(uid);
    if (entry?.place !== 'in-work') return;
    entry.against = against;
    entry.errors = 0;
    entry.sequence = this.#sequence += 1;
    entry.dueMs = this.#nowMs + backoffMs(entry.attempts);
    this.#move(entry, 'unschedulable');
  }

  /** The pod waits for `activate`: the attempt was none. */
  parked({ uid }: WaitingPod): void {
    const entry = this.#entries.get(uid);
    if (entry?.place !== 'in-work') return;
    entry.attempts -= 1;
    entry.against = new Set();
    this.#move(entry, 'unschedulable');
  }

  /** The attempt failed for another reason: the pod waits for its back-off. */
  retried({ uid }: WaitingPod): void {
    const entry = this.#entries.get(uid);
    if (entry?.place !== 'in-work') return;
    entry.errors += 1;
    entry.sequence = this.#sequence += 1;
    entry.dueMs = this.#nowMs + backoffMs(entry.errors);
    this.#move(entry, 'backing-off');
  }

  /** A pod that waits for a change or its back-off is tried again at once. */
  activate(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry?.place !== 'unschedulable' && entry?.place !== 'backing-off') return;
    this.#leave(entry);
    this.#move(entry, 'active');
  }

  /** Tries those again that the change may help. */
  changed(change: ClusterChange): void {
    // Most pods that come and go are nothing to pods that wait.
    const isOfInterest = INTERESTED[change.kind]?.some((plugin) => this.#against.has(plugin));
    if (this.#unschedulable.size === 0 || isOfInterest === false) return;
    for (const entry of this.#unschedulable) {
      if (mayHelp(entry, entry.against, change)) this.#again(entry);
    }
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  get #nowMs(): number {
    return this.#options.runtime.monotonicMs();
  }

  #again(entry: Entry): void {
    this.#leave(entry);
    this.#move(entry, entry.dueMs > this.#nowMs ? 'backing-off' : 'active');
  }

  #move(entry: Entry, place: Place): void {
    entry.place = place;
    if (place === 'gated') this.#gated += 1;
    else if (place === 'unschedulable') {
      this.#unschedulable.add(entry);
      this.#countAgainst(entry, 1);
    } else if (place === 'active') this.#active.set(entry);
    else if (place === 'backing-off' && entry.errors > 0) {
      this.#erring.set(entry);
      this.#plan();
      return;
    } else if (place === 'backing-off') this.#resting.set(entry);
    if (place === 'active' || place === 'backing-off') this.#options.onReady();
  }

  #leave(entry: Entry): void {
    if (entry.place === 'gated') this.#gated -= 1;
    this.#active.delete(entry.uid);
    this.#resting.delete(entry.uid);
    this.#erring.delete(entry.uid);
    if (this.#unschedulable.delete(entry)) this.#countAgainst(entry, -1);
    entry.place = 'in-work';
  }

  #countAgainst({ against }: Entry, by: 1 | -1): void {
    for (const plugin of against) {
      const count = (this.#against.get(plugin) ?? 0) + by;
      if (count > 0) this.#against.set(plugin, count);
      else this.#against.delete(plugin);
    }
  }

  #plan(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const first = this.#erring.peek();
    if (first === undefined || this.#closed) return;
    const delayMs = Math.max(1, first.dueMs - this.#nowMs);
    this.#timer = this.#options.runtime.setTimer(delayMs, () => {
      this.#activateDue(this.#erring);
      this.#plan();
    });
  }

  #activateDue(waiting: Heap<Entry>): void {
    for (let due = waiting.peek(); due !== undefined; due = waiting.peek()) {
      if (due.dueMs > this.#nowMs) return;
      this.#leave(due);
      this.#move(due, 'active');
    }
  }
}

function uidOf({ uid }: Entry): string {
  return uid;
}

function isDueBefore(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && isFirst(one, other));
}

function isFirst(one: Entry, other: Entry): boolean {
  const [left, right] = [one.facts.priority, other.facts.priority];
  return left > right || (left === right && one.sequence < other.sequence);
}

function isGated({ pod }: PodToPlace): boolean {
  return (pod.spec?.schedulingGates ?? []).length > 0;
}
