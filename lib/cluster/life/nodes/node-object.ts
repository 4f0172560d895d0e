import type { Lease } from '../../../types/built-in/coordination-v1-kinds.ts';
import type { Node, NodeCondition, NodeStatus } from '../../../types/built-in/core-v1-kinds.ts';
import { timestamp } from '../clock/life-clock.ts';
import type { NodeModel } from './node-options.ts';

export const LEASE_NAMESPACE = 'kube-node-lease';
/** As a kubelet renews it: every 10 s, for 40 s. */
export const LEASE_SECONDS = 40;
export const RENEW_EVERY_MS = 10_000;
/** The lease of a node whose heartbeats are left out: it holds until a failure says otherwise. */
export const LAZY_LEASE_SECONDS = 2_147_483_647;

export interface NodeFacts {
  readonly model: NodeModel;
  readonly address: string;
  readonly podCIDR: string;
  /** That of the server, e.g. `v1.37.2`. */
  readonly version: string;
  /** Another one for each start. */
  readonly bootID: string;
  readonly machineID: string;
  readonly nowMs: number;
}

/** The node as its kubelet registers it. */
export function nodeObject(facts: NodeFacts): Node {
  const { model, podCIDR } = facts;
  const { name, annotations, taints } = model;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: nodeLabels(model),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: {
      podCIDR,
      podCIDRs: [podCIDR],
      providerID: `listwatch://${name}`,
      ...(taints === undefined ? {} : { taints: [...taints] }),
    },
    status: nodeStatus(facts),
  };
}

export function nodeLabels({ name, labels }: NodeModel): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    ...labels,
  };
}

/** @see kubernetes pkg/kubelet/nodestatus/setters.go @ v1.37.2 */
export function nodeStatus(facts: NodeFacts): NodeStatus {
  const { model, address, version, bootID, machineID, nowMs } = facts;
  return {
    capacity: { ...model.capacity },
    allocatable: { ...model.allocatable },
    conditions: [...nodeConditions(nowMs)],
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: model.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: {
      machineID,
      systemUUID: machineID,
      bootID,
      kernelVersion: '6.12.0',
      osImage: 'listwatch',
      containerRuntimeVersion: 'containerd://2.2.0',
      kubeletVersion: version,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}

/** The conditions of a healthy node, in kubelet's words. */
export function nodeConditions(
  nowMs: number,
  present: readonly NodeCondition[] = [],
): readonly NodeCondition[] {
  const conditions = [
    [
      'MemoryPressure',
      'False',
      'KubeletHasSufficientMemory',
      'kubelet has sufficient memory available',
    ],
    ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  ] as const;
  const now = timestamp(nowMs);
  return conditions.map(([type, status, reason, message]) => {
    const old = present.find((one) => one.type === type);
    const since = old?.status === status ? old.lastTransitionTime : now;
    return { type, status, lastHeartbeatTime: now, lastTransitionTime: since, reason, message };
  });
}

/** The lease by which a node says that it is alive. */
export function nodeLease(node: Node, nowMs: number, seconds: number): Lease {
  const { name = '', uid = '' } = node.metadata ?? {};
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: LEASE_NAMESPACE,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: leaseSpec(name, nowMs, seconds),
  };
}

export function leaseSpec(
  name: string,
  nowMs: number,
  seconds: number,
): NonNullable<Lease['spec']> {
  const renewTime = new Date(nowMs).toISOString().replace('Z', '000Z');
  return { holderIdentity: name, leaseDurationSeconds: seconds, renewTime };
}
