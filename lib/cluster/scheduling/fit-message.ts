import type { NodeInfo } from './model/node-info.ts';
import type { PluginName, Rejection } from './model/plugin.ts';

/** Why a pod found no node. */
export interface Diagnosis {
  readonly nodes: number;
  /** A plug-in refused the pod for all nodes. */
  readonly refusal: Rejection | undefined;
  readonly rejected: ReadonlyMap<NodeInfo, Rejection>;
  /** The reason for nodes that were not asked. */
  readonly unasked: string | undefined;
  /** The plug-ins that were against it: what changes their mind may help the pod. */
  readonly plugins: ReadonlySet<PluginName>;
}

export const NO_NODES = 'no nodes available to schedule pods';

/**
 * `0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. preemption: …`
 * @see pkg/scheduler/framework/types.go FitError @ v1.37.2
 */
export function fitMessage(
  { nodes, refusal, rejected, unasked }: Omit<Diagnosis, 'plugins'>,
  afterwards: string = '',
): string {
  const text = `0/${nodes} nodes are available:`;
  const after = afterwards === '' ? '' : ` ${afterwards}`;
  if (refusal !== undefined) return `${text} ${refusal.reasons.join(', ')}.${after}`;
  const counts = new Map<string, number>();
  const count = (reason: string, by: number): void => {
    counts.set(reason, (counts.get(reason) ?? 0) + by);
  };
  for (const { reasons } of rejected.values()) for (const reason of reasons) count(reason, 1);
  const left = nodes - rejected.size;
  if (left > 0 && unasked !== undefined) count(unasked, left);
  const parts = Array.from(counts, ([reason, times]) => `${times} ${reason}`);
  // As Go sorts: by code units.
  parts.sort((one, other) => (one < other ? -1 : 1));
  return parts.length === 0 ? text + after : `${text} ${parts.join(', ')}.${after}`;
}
