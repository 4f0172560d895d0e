import { parseQuantity } from '../../../meta/quantity.ts';
import type {
  Container,
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Taint,
  Toleration,
} from '../../../types/built-in/core-v1-kinds.ts';

/** Why a pod has failed as a whole. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

/** Whole numbers by resource: thousandths of `cpu`, and the value of every other one. */
export type Amounts = ReadonlyMap<string, number>;

const NANOS_OF_MILLI = 1_000_000n;
const NANOS = 1_000_000_000n;
/** The order in which a kubelet looks. */
const FIRST = ['cpu', 'memory', 'ephemeral-storage'];

export function amountOf(name: string, quantity: string | number): number {
  const { nanos } = parseQuantity(String(quantity));
  const unit = name === 'cpu' ? NANOS_OF_MILLI : NANOS;
  return Number((nanos + unit - 1n) / unit);
}

export function amountsOf(
  quantities: Readonly<Record<string, string | number>> | undefined,
): Map<string, number> {
  const entries = Object.entries(quantities ?? {});
  return new Map(entries.map(([name, quantity]) => [name, amountOf(name, quantity)]));
}

function addTo(sum: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + amount);
}

function raise(most: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) most.set(name, Math.max(most.get(name) ?? 0, amount));
}

/**
 * The resources that a pod requests: its containers and sidecars together, or an init container with the sidecars before it, if that is more.
 * @see k8s.io/component-helpers resource/helpers.go PodRequests @ v0.37.2
 */
export function podRequests(spec: PodSpec): Amounts {
  const requests = ({ resources }: Container): Amounts => amountsOf(resources?.requests);
  const sum = new Map<string, number>();
  for (const container of spec.containers) addTo(sum, requests(container));
  const sidecars = new Map<string, number>();
  const most = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always';
    if (isSidecar) addTo(sidecars, requests(container));
    const now = new Map(sidecars);
    if (!isSidecar) addTo(now, requests(container));
    raise(most, now);
  }
  addTo(sum, sidecars);
  raise(sum, most);
  // Those of the pod itself come before the sum.
  for (const [name, amount] of amountsOf(spec.resources?.requests)) sum.set(name, amount);
  addTo(sum, amountsOf(spec.overhead));
  return sum;
}

/** The ports of the machine that a pod takes, as texts. */
export function hostPorts(spec: PodSpec): readonly string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = 'TCP', hostIP = '' }) => {
      if (hostPort === 0) return [];
      return `${protocol} ${hostPort} ${hostIP === '' ? '0.0.0.0' : hostIP}`;
    }),
  );
}

/** Whether two of these ports are the same; the address 0.0.0.0 is all of them. */
function isTaken(port: string, taken: ReadonlySet<string>): boolean {
  if (taken.has(port)) return true;
  const [protocol, number, address] = port.split(' ');
  if (address !== '0.0.0.0') return taken.has(`${protocol} ${number} 0.0.0.0`);
  return [...taken].some((other) => other.startsWith(`${protocol} ${number} `));
}

/** The part of a node that its pods use. */
export interface NodeUse {
  readonly pods: number;
  readonly used: Amounts;
  readonly ports: ReadonlySet<string>;
}

/**
 * Why a node does not take a pod that is bound to it; undefined if it does.
 * @see kubernetes pkg/kubelet/lifecycle/predicate.go Admit @ v1.37.2
 */
export function nodeRefusal(pod: Pod, node: Node, use: NodeUse): PodFailure | undefined {
  const { spec } = pod;
  if (spec === undefined) return undefined;
  if (spec.os !== undefined && spec.os.name !== 'linux') {
    const message = "Failed to admit pod as the OS field doesn't match node OS";
    return { reason: 'PodOSNotSupported', message };
  }
  return (
    lackOf(spec, node, use) ??
    (selectsNode(spec, node)
      ? undefined
      : failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")) ??
    (hostPorts(spec).some((port) => isTaken(port, use.ports))
      ? failed('NodePorts', "node(s) didn't have free ports for the requested pod ports")
      : undefined) ??
    ((node.spec?.taints ?? []).some((taint) => isRefused(taint, spec.tolerations ?? []))
      ? failed('TaintToleration', "node(s) had taints that the pod didn't tolerate")
      : undefined)
  );
}

function failed(reason: string, text: string): PodFailure {
  return { reason, message: `Predicate ${reason} failed: ${text}` };
}

/** The first resource of which the node has too little for a pod. */
export function lackOf(spec: PodSpec, node: Node, { pods, used }: NodeUse): PodFailure | undefined {
  const allocatable = amountsOf(node.status?.allocatable);
  const lack = (name: string, requested: number, inUse: number): PodFailure => ({
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${inUse}, capacity: ${allocatable.get(name) ?? 0}`,
  });
  if (pods + 1 > (allocatable.get('pods') ?? Infinity)) return lack('pods', 1, pods);
  const requests = podRequests(spec);
  const names = [...FIRST, ...[...requests.keys()].filter((name) => !FIRST.includes(name))];
  for (const name of names) {
    const [requested = 0, inUse = 0] = [requests.get(name), used.get(name)];
    const capacity = allocatable.get(name);
    // An extended resource that the node does not know is one of the cluster.
    if (capacity === undefined && !FIRST.includes(name)) continue;
    if (requested > 0 && requested > (capacity ?? 0) - inUse) return lack(name, requested, inUse);
  }
  return undefined;
}

/** Only this effect ends pods on a node. */
function isRefused(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect !== 'NoExecute') return false;
  return !tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
  });
}

function selectsNode(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [name, value] of Object.entries(spec.nodeSelector ?? {})) {
    if (labels[name] !== value) return false;
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some((term) => isTermOf(term, node));
}

function isTermOf(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  const name = node.metadata?.name;
  return (
    matchExpressions.every((one) => isRequired(one, labels[one.key])) &&
    matchFields.every((one) => isRequired(one, one.key === 'metadata.name' ? name : undefined))
  );
}

function isRequired(
  { operator, values = [] }: NodeSelectorRequirement,
  value: string | undefined,
): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'In') return values.includes(value);
  const [left, right] = [Number(value), Number(values[0])];
  return operator === 'Gt' ? left > right : operator === 'Lt' && left < right;
}
