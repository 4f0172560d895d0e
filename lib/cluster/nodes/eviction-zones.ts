import type { Node } from '../../types/built-in/core-v1-kinds.ts';
import { isReady } from './node-signals.ts';
import type { EvictionRule } from './node-taints.ts';

const REGION = 'topology.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';
/** As in kube-controller-manager (--unhealthy-zone-threshold, --large-cluster-size-threshold, --node-eviction-rate). */
const UNHEALTHY_SHARE = 0.55;
const LARGE_ZONE = 50;
const EVERY_MS = 10_000;
const LARGE_EVERY_MS = 100_000;

export function zoneOf({ metadata }: Node): string {
  const { labels = {} } = metadata ?? {};
  return `${labels[REGION] ?? ''}/${labels[ZONE] ?? ''}`;
}

interface ZoneState {
  readonly rule: EvictionRule;
  /** Between two nodes whose pods are evicted. */
  readonly everyMs: number;
}

/**
 * Whether the pods of a lost node may be evicted, by the state of the nodes: not when all are lost, and not when most of a small zone is.
 * @see kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption, ComputeZoneState @ v1.37.2
 */
export function zoneState(zone: string, nodes: readonly Node[]): ZoneState {
  const counted = nodes.filter(({ metadata }) => metadata?.labels?.[EXCLUDED] === undefined);
  if (counted.length > 0 && !counted.some(isReady)) return { rule: 'remove', everyMs: EVERY_MS };
  const own = counted.filter((node) => zoneOf(node) === zone);
  const lost = own.filter((node) => !isReady(node)).length;
  const isPartial = lost < own.length && lost > 2 && lost / own.length >= UNHEALTHY_SHARE;
  if (!isPartial) return { rule: 'add', everyMs: EVERY_MS };
  return own.length > LARGE_ZONE
    ? { rule: 'add', everyMs: LARGE_EVERY_MS }
    : { rule: 'hold', everyMs: EVERY_MS };
}

/**
 * Lets the nodes of a zone be evicted one after the other.
 *
 * Memory: a time for each zone.
 */
export class EvictionPace {
  readonly #nextMs = new Map<string, number>();

  /** Milliseconds until the next node of the zone; with 0, this one is taken. */
  take(zone: string, nowMs: number, everyMs: number): number {
    const waitMs = Math.max(0, (this.#nextMs.get(zone) ?? 0) - nowMs);
    if (waitMs === 0) this.#nextMs.set(zone, nowMs + everyMs);
    return waitMs;
  }
}
