import type { Node, Taint } from '../../types/built-in/core-v1-kinds.ts';
import { conditionOf } from './node-signals.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** The taints that keep pods off a node, by condition and status. */
const BY_CONDITION: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
const MANAGED: ReadonlySet<string> = new Set([
  UNSCHEDULABLE,
  ...BY_CONDITION.map(([, , key]) => key),
]);

/** Whether taints that evict the pods of a lost node may be added; `remove` when all nodes are lost, which is a failure of something else. */
export type EvictionRule = 'add' | 'hold' | 'remove';

/** The key of the taint that evicts the pods of a node in its state. */
function evictingKey(node: Node): string | undefined {
  const status = conditionOf(node, 'Ready')?.status;
  if (status === 'False') return NOT_READY;
  return status === 'Unknown' ? UNREACHABLE : undefined;
}

function isEvicting({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

/** Whether a node lacks the taint that evicts its pods, and has not the other one that would be changed into it. */
export function isToBeEvicted(node: Node): boolean {
  return evictingKey(node) !== undefined && !(node.spec?.taints ?? []).some(isEvicting);
}

/**
 * The taints of a node as its conditions and `spec.unschedulable` ask for; undefined if it has them. Taints of others stay.
 * @see kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass, processTaintBaseEviction @ v1.37.2
 */
export function wantedTaints(node: Node, rule: EvictionRule, now: string): Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const keys = BY_CONDITION.filter(
    ([type, status]) => conditionOf(node, type)?.status === status,
  ).map(([, , key]) => key);
  if (node.spec?.unschedulable === true) keys.push(UNSCHEDULABLE);
  const wanted: Taint[] = keys.map((key) => ({ key, effect: 'NoSchedule' }));
  const evicting = evictingKey(node);
  const mayEvict = rule === 'add' || (rule === 'hold' && present.some(isEvicting));
  if (evicting !== undefined && mayEvict) wanted.push({ key: evicting, effect: 'NoExecute' });
  const isSame = (one: Taint, other: Taint): boolean =>
    one.key === other.key && one.effect === other.effect;
  const kept = present.filter((taint) => {
    const isManaged =
      isEvicting(taint) || (taint.effect === 'NoSchedule' && MANAGED.has(taint.key));
    return !isManaged || wanted.some((one) => isSame(one, taint));
  });
  const added = wanted.filter((taint) => !present.some((one) => isSame(one, taint)));
  if (added.length === 0 && kept.length === present.length) return undefined;
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: now }))];
}

/** Labels whose values older clients read under other names. */
const OLDER_NAMES: readonly (readonly [name: string, older: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

/** The labels that a node lacks under their older names; undefined if it has them. */
export function missingLabels({ metadata }: Node): Record<string, string> | undefined {
  const { labels = {} } = metadata ?? {};
  const missing = OLDER_NAMES.flatMap(([name, older]): [string, string][] => {
    const value = labels[name];
    return value === undefined || labels[older] === value ? [] : [[older, value]];
  });
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
