import type { Stored } from '../../../meta/stored.ts';
import type { Labels } from '../../../meta/selectors/label-selector.ts';
import type { Node, Taint } from '../../../types/built-in/core-v1-kinds.ts';
import { allocatableOf, type Amounts } from './amounts.ts';
import type { HostPort, PodFacts } from './pod-facts.ts';

const ANY_IP = '0.0.0.0';

/** Sums that change with each pod. */
interface Used {
  cpu: number;
  memory: number;
  storage: number;
  readonly others: Map<string, number>;
}

/** The properties of a node that scheduling reads. */
export interface NodeFacts {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: Amounts & { readonly pods: number };
}

const UNKNOWN: NodeFacts = {
  labels: undefined,
  taints: [],
  unschedulable: true,
  allocatable: { cpu: 0, memory: 0, storage: 0, others: new Map(), pods: 0 },
};

export function nodeFacts(node: Stored<Node>): NodeFacts {
  return {
    labels: node.metadata.labels,
    taints: node.spec?.taints ?? [],
    unschedulable: node.spec?.unschedulable === true,
    allocatable: allocatableOf(node),
  };
}

/**
 * A node with the sums of its pods. They are changed by each pod that comes or goes, and never computed anew.
 * @see pkg/scheduler/framework/types.go NodeInfo @ v1.37.2
 */
export class NodeInfo {
  readonly name: string;
  /** Whether its object is there. Pods may have come before it, and stay after it. */
  exists: boolean = false;
  facts: NodeFacts = UNKNOWN;
  readonly requested: Used = { cpu: 0, memory: 0, storage: 0, others: new Map() };
  /** Processors and memory, with an assumption for containers that do not say what they need. */
  readonly scored: { cpu: number; memory: number } = { cpu: 0, memory: 0 };
  readonly pods: Map<string, PodFacts> = new Map();
  /** The addresses that use a port, and how many pods do. */
  readonly #ports = new Map<string, Map<string, number>>();

  constructor(name: string) {
    this.name = name;
  }

  add(pod: PodFacts): void {
    this.pods.set(pod.uid, pod);
    this.#count(pod, 1);
  }

  remove(pod: PodFacts): void {
    if (this.pods.delete(pod.uid)) this.#count(pod, -1);
  }

  /** A node of its own for trials. */
  copy(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.exists = this.exists;
    copy.facts = this.facts;
    for (const pod of this.pods.values()) copy.add(pod);
    return copy;
  }

  /** Whether a port that the pod wants is taken. */
  hasPort({ ip, port }: HostPort): boolean {
    const taken = this.#ports.get(port);
    if (taken === undefined) return false;
    return ip === ANY_IP || taken.has(ANY_IP) || taken.has(ip);
  }

  #count(pod: PodFacts, by: 1 | -1): void {
    const { requests, scored, hostPorts } = pod;
    const { requested } = this;
    requested.cpu += by * requests.cpu;
    requested.memory += by * requests.memory;
    requested.storage += by * requests.storage;
    for (const [name, amount] of requests.others) {
      requested.others.set(name, (requested.others.get(name) ?? 0) + by * amount);
    }
    this.scored.cpu += by * scored.cpu;
    this.scored.memory += by * scored.memory;
    for (const one of hostPorts) this.#countPort(one, by);
  }

  #countPort({ ip, port }: HostPort, by: 1 | -1): void {
    const taken = this.#ports.get(port) ?? new Map<string, number>();
    const users = (taken.get(ip) ?? 0) + by;
    if (users > 0) taken.set(ip, users);
    else taken.delete(ip);
    if (taken.size > 0) this.#ports.set(port, taken);
    else this.#ports.delete(port);
  }
}
