import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import type { Node, NodeCondition } from '../../types/built-in/core-v1-kinds.ts';

/** As in kube-controller-manager (--node-monitor-grace-period, --node-startup-grace-period). */
export const GRACE_MS = 50_000;
const STARTUP_GRACE_MS = 60_000;
/** A lease that holds longer is one that is not renewed while its node lives. */
const LONGEST_LEASE_MS = 7 * 24 * 3_600_000;

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

export function isReady(node: Node): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}

interface Signal {
  readonly uid: string | undefined;
  readonly heartbeat: string | undefined;
  readonly renewal: string | undefined;
  readonly atMs: number;
}

/**
 * When each node gave its last sign of life, by the clock of the controller: a heartbeat in its status, or a renewal of its lease.
 *
 * Memory: an entry for each node.
 */
export class NodeSignals {
  readonly #signals = new Map<string, Signal>();

  /** Whether the node was not seen before. */
  isNew({ metadata = {} }: Node): boolean {
    return this.#signals.get(metadata.name ?? '')?.uid !== metadata.uid;
  }

  /** The time from which on the node counts as lost, unless it gives another sign; Infinity: never. */
  lostAtMs(node: Node, lease: Lease | undefined, nowMs: number): number {
    const { name = '', uid, creationTimestamp } = node.metadata ?? {};
    const ready = conditionOf(node, 'Ready');
    const seen = this.isNew(node) ? undefined : this.#signals.get(name);
    const [heartbeat, renewal] = [ready?.lastHeartbeatTime, lease?.spec?.renewTime];
    const isSign =
      seen === undefined || heartbeat !== seen.heartbeat || isLater(renewal, seen.renewal);
    // A node that was never ready counts from its creation.
    const never = ready === undefined && creationTimestamp !== undefined;
    const signAtMs = never && renewal === undefined ? Date.parse(creationTimestamp) : nowMs;
    const atMs = isSign ? signAtMs : seen.atMs;
    this.#signals.set(name, { uid, heartbeat, renewal: renewal ?? seen?.renewal, atMs });
    const leaseMs = (lease?.spec?.leaseDurationSeconds ?? 0) * 1000;
    if (leaseMs > LONGEST_LEASE_MS) return Infinity;
    return atMs + Math.max(never ? STARTUP_GRACE_MS : GRACE_MS, leaseMs);
  }

  forget(name: string): void {
    this.#signals.delete(name);
  }
}

function isLater(time: string | undefined, than: string | undefined): boolean {
  return time !== undefined && (than === undefined || Date.parse(time) > Date.parse(than));
}

/** The conditions of a node that only its kubelet can know. */
const OF_KUBELET = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/**
 * The conditions to write for a node that is lost.
 * @see kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth @ v1.37.2
 */
export function lostConditions(node: Node, now: string): NodeCondition[] {
  return OF_KUBELET.flatMap((type): NodeCondition[] => {
    const present = conditionOf(node, type);
    if (present?.status === 'Unknown') return [];
    const [reason, message] =
      present === undefined
        ? ['NodeStatusNeverUpdated', 'Kubelet never posted node status.']
        : ['NodeStatusUnknown', 'Kubelet stopped posting node status.'];
    const lastHeartbeatTime = present?.lastHeartbeatTime ?? node.metadata?.creationTimestamp;
    return [
      { type, status: 'Unknown', lastHeartbeatTime, lastTransitionTime: now, reason, message },
    ];
  });
}
