import type { Labels } from '../../../meta/selectors/label-selector.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Node } from '../../../types/built-in/core-v1-kinds.ts';
import { NodeInfo, nodeFacts } from './node-info.ts';
import { PlacedTerms } from './placed-terms.ts';
import { PodCounts } from './pod-counts.ts';
import type { PodFacts } from './pod-facts.ts';
import type { VolumeLookup } from './pod-volumes.ts';

interface PlacedPod {
  readonly facts: PodFacts;
  readonly node: NodeInfo;
  /** Its binding is not seen yet. */
  readonly assumed: boolean;
}

const NO_VOLUMES: VolumeLookup = {
  claim: () => undefined,
  volume: () => undefined,
  volumes: () => [],
  storageClass: () => undefined,
  chosenFor: () => undefined,
};

/**
 * The nodes with their pods, as informers report them, and the pods that were placed and are not yet reported.
 *
 * Memory: some facts of each node and each pod on one; no objects.
 * @see pkg/scheduler/backend/cache/cache.go @ v1.37.2
 */
export class ClusterState {
  /** Those whose object exists. */
  readonly nodes: NodeInfo[] = [];
  readonly terms: PlacedTerms = new PlacedTerms();
  readonly counts: PodCounts;
  /** The labels of namespaces, where a pod asked for them. */
  namespaceLabels: (namespace: string) => Labels = () => undefined;
  volumes: VolumeLookup = NO_VOLUMES;
  readonly #byName = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, PlacedPod>();
  /** How many pods have a priority. */
  readonly #priorities = new Map<number, number>();
  #avoided = 0;

  constructor() {
    this.counts = new PodCounts(() => this.#placed());
  }

  get podCount(): number {
    return this.#pods.size;
  }

  /** Whether a node has a taint that pods should rather avoid. */
  get hasAvoidedNodes(): boolean {
    return this.#avoided > 0;
  }

  hasPodsBelow(priority: number): boolean {
    for (const one of this.#priorities.keys()) if (one < priority) return true;
    return false;
  }

  node(name: string): NodeInfo | undefined {
    const node = this.#byName.get(name);
    return node?.exists === true ? node : undefined;
  }

  setNode(node: Stored<Node>): void {
    const info = this.#info(node.metadata.name);
    this.#avoided -= avoided(info);
    info.facts = nodeFacts(node);
    this.#avoided += avoided(info);
    if (info.exists) return;
    info.exists = true;
    this.nodes.push(info);
  }

  /** Its pods stay known until they are gone. */
  removeNode(name: string): void {
    const info = this.#byName.get(name);
    if (info?.exists !== true) return;
    info.exists = false;
    this.#avoided -= avoided(info);
    this.nodes.splice(this.nodes.indexOf(info), 1);
    this.#forgetIfEmpty(info);
  }

  /** The pod as it counts at present; undefined for one that has no node. */
  pod(uid: string): PodFacts | undefined {
    return this.#pods.get(uid)?.facts;
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.assumed === true;
  }

  /** A pod on a node: a new one, or another state of it. */
  place(facts: PodFacts, nodeName: string, assumed: boolean = false): void {
    this.remove(facts.uid);
    const node = this.#info(nodeName);
    this.#pods.set(facts.uid, { facts, node, assumed });
    node.add(facts);
    this.counts.changed(facts, node, 1);
    this.terms.changed(facts, node, 1);
    this.#countPriority(facts, 1);
  }

  /** An assumed pod is on its node now. */
  confirm(uid: string, nodeName: string): boolean {
    const placed = this.#pods.get(uid);
    if (placed?.assumed !== true || placed.node.name !== nodeName) return false;
    this.#pods.set(uid, { ...placed, assumed: false });
    return true;
  }

  remove(uid: string): PodFacts | undefined {
    const placed = this.#pods.get(uid);
    if (placed === undefined) return undefined;
    const { facts, node } = placed;
    this.#pods.delete(uid);
    node.remove(facts);
    this.counts.changed(facts, node, -1);
    this.terms.changed(facts, node, -1);
    this.#countPriority(facts, -1);
    this.#forgetIfEmpty(node);
    return facts;
  }

  #countPriority({ priority }: PodFacts, by: 1 | -1): void {
    const count = (this.#priorities.get(priority) ?? 0) + by;
    if (count > 0) this.#priorities.set(priority, count);
    else this.#priorities.delete(priority);
  }

  #info(name: string): NodeInfo {
    let info = this.#byName.get(name);
    if (info === undefined) {
      info = new NodeInfo(name);
      this.#byName.set(name, info);
    }
    return info;
  }

  #forgetIfEmpty(info: NodeInfo): void {
    if (info.pods.size === 0 && !info.exists) this.#byName.delete(info.name);
  }

  *#placed(): Iterable<readonly [PodFacts, NodeInfo]> {
    for (const { facts, node } of this.#pods.values()) yield [facts, node];
  }
}

function avoided({ facts }: NodeInfo): number {
  return facts.taints.some(({ effect }) => effect === 'PreferNoSchedule') ? 1 : 0;
}
