import { isDeepStrictEqual } from 'node:util';
import type {
  Container,
  Node,
  PodCondition,
  ResourceRequirements,
} from '../../../types/built-in/core-v1-kinds.ts';
import { lackOf, type NodeUse } from '../nodes/node-fit.ts';
import type { LifePod } from './life-pod.ts';

/** The resources of the containers of a pod, by their names. */
export type Allocation = ReadonlyMap<string, ResourceRequirements>;

/**
 * | decision | |
 * |---|---|
 * | `none` | the pod has what it asks for |
 * | `allocate` | it gets it; these containers start again for it |
 * | `wait` | it does not get it, at least now |
 */
export type ResizeDecision =
  | { readonly decision: 'none' }
  | { readonly decision: 'allocate'; readonly restarted: readonly string[] }
  | { readonly decision: 'wait'; readonly condition: Omit<PodCondition, 'lastTransitionTime'> };

const NONE: NodeUse = { pods: 0, used: new Map(), ports: new Set() };

export function allocationOf({ spec }: LifePod): Allocation {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return new Map(containers.map(({ name, resources = {} }) => [name, resources]));
}

/**
 * Whether a pod gets the resources that its spec asks for now. `use`: of the node, without this pod.
 * @see kubernetes pkg/kubelet/allocation/allocation_manager.go handlePodResourcesResize @ v1.37.2
 */
export function resizeOf(
  { spec, metadata }: LifePod,
  allocated: Allocation,
  node: Node,
  use: () => NodeUse,
): ResizeDecision {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const changed = containers.filter(
    ({ name, resources = {} }) => !isDeepStrictEqual(resources, allocated.get(name) ?? {}),
  );
  if (changed.length === 0) return { decision: 'none' };
  const wait = (reason: string, message: string): ResizeDecision => {
    const { generation } = metadata as { readonly generation?: number };
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const condition = { type: 'PodResizePending', status: 'True', reason, message, ...observed };
    return { decision: 'wait', condition };
  };
  const never = lackOf(spec, node, NONE);
  if (never !== undefined) return wait('Infeasible', never.message);
  const notNow = lackOf(spec, node, use());
  if (notNow !== undefined) return wait('Deferred', notNow.message);
  const restarted = changed.filter((one) => needsRestart(one, allocated.get(one.name) ?? {}));
  return { decision: 'allocate', restarted: restarted.map(({ name }) => name) };
}

/** Whether one of the changed resources has the policy for it. */
function needsRestart(
  { resources = {}, resizePolicy = [] }: Container,
  old: ResourceRequirements,
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      (['requests', 'limits'] as const).some(
        (kind) => resources[kind]?.[resourceName] !== old[kind]?.[resourceName],
      ),
  );
}
