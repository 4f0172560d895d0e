import { parseQuantity } from '../../../meta/quantity.ts';
import type { Container, Node, Pod } from '../../../types/built-in/core-v1-kinds.ts';

/** Resources that a pod asks for, or a node has: processors in thousandths, everything else in whole units. */
export interface Amounts {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
  /** Extended resources and huge pages. */
  readonly others: ReadonlyMap<string, number>;
}

/** The requests by which a container that states none counts in the scores. */
export const UNSTATED: Readonly<Record<string, string>> = { cpu: '100m', memory: '200Mi' };

type Resources = Readonly<Record<string, string | number>> | undefined;
type Sums = Map<string, number>;

const NONE: ReadonlyMap<string, number> = new Map();
const SIMPLE = /^(\d{1,10})(m|k|M|G|Ki|Mi|Gi|)$/;
const SCALES: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};
const MILLI_NANOS = 1_000_000n;
const UNIT_NANOS = 1_000_000_000n;
const OF_POD: ReadonlySet<string> = new Set(['cpu', 'memory']);

/** A quantity as a number, rounded up: of processors in thousandths, of all else in whole units. */
export function amountOf(name: string, text: string | number): number {
  const isCpu = name === 'cpu';
  const match = SIMPLE.exec(String(text));
  if (match !== null) {
    const value = Number(match[1]) * (SCALES[match[2] ?? ''] ?? 1);
    return Math.ceil(isCpu ? Math.round(value * 1e3) : value);
  }
  const by = isCpu ? MILLI_NANOS : UNIT_NANOS;
  return Number((parseQuantity(String(text)).nanos + by - 1n) / by);
}

/**
 * The requests of a pod: its containers together, or an init container if that is more; what is said for the pod as a whole; its overhead.
 * `unstated` is added for containers that say nothing.
 * @see component-helpers resource/helpers.go PodRequests @ v0.37.2
 */
export function podRequests(pod: Pod, unstated?: Resources): Amounts {
  const { containers = [], initContainers = [], resources, overhead } = pod.spec ?? {};
  const sum: Sums = new Map();
  for (const one of containers) addTo(sum, requestsOf(pod, one, unstated));
  const sidecars: Sums = new Map();
  const most: Sums = new Map();
  for (const one of initContainers) {
    const own = requestsOf(pod, one, unstated);
    if (one.restartPolicy === 'Always') {
      addTo(sum, own);
      addTo(sidecars, own);
      keepMost(most, sidecars);
    } else keepMost(most, addTo(new Map(own), sidecars));
  }
  keepMost(sum, most);
  for (const [name, text] of Object.entries(resources?.requests ?? {})) {
    if (OF_POD.has(name) || name.startsWith('hugepages-')) sum.set(name, amountOf(name, text));
  }
  return amounts(addTo(sum, sumsOf(overhead)));
}

/** The requests of a container; while it is resized, the most of what it wants, was given and has. */
function requestsOf(pod: Pod, container: Container, unstated: Resources): Sums {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const isInfeasible = (pod.status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const sums = isInfeasible ? new Map<string, number>() : sumsOf(container.resources?.requests);
  const status = [...containerStatuses, ...initContainerStatuses].find(
    ({ name }) => name === container.name,
  );
  keepMost(sums, sumsOf(status?.allocatedResources));
  keepMost(sums, sumsOf(status?.resources?.requests));
  for (const [name, text] of Object.entries(unstated ?? {})) {
    if (!sums.has(name)) sums.set(name, amountOf(name, text));
  }
  return sums;
}

/** The resources of a node for pods, and how many pods it takes. */
export function allocatableOf(node: Node): Amounts & { readonly pods: number } {
  const sums = sumsOf(node.status?.allocatable ?? node.status?.capacity);
  return { ...amounts(sums), pods: sums.get('pods') ?? 0 };
}

function amounts(sums: Sums): Amounts {
  const others = [...sums].filter(([name]) => isCounted(name));
  return {
    cpu: sums.get('cpu') ?? 0,
    memory: sums.get('memory') ?? 0,
    storage: sums.get('ephemeral-storage') ?? 0,
    others: others.length === 0 ? NONE : new Map(others),
  };
}

/** Whether a node has a number of it, besides processors, memory and storage. */
function isCounted(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-');
}

function sumsOf(resources: Resources): Sums {
  const sums: Sums = new Map();
  for (const name in resources) sums.set(name, amountOf(name, resources[name] ?? '0'));
  return sums;
}

function addTo(sum: Sums, more: Sums): Sums {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
}

function keepMost(most: Sums, other: Sums): void {
  for (const [name, amount] of other) {
    if (amount > (most.get(name) ?? -1)) most.set(name, amount);
  }
}
