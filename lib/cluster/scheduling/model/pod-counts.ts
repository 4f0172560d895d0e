import { LRUCache } from 'lru-cache';
import type { NodeInfo } from './node-info.ts';
import type { PodFacts } from './pod-facts.ts';

/** Pods on nodes, and whether they belong to a count. */
interface Count {
  readonly matches: (pod: PodFacts) => boolean;
  readonly byNode: Map<NodeInfo, number>;
}

/** So many selectors are counted at once; a further one is counted from the start. */
const KEPT = 500;

/**
 * How many pods of a kind each node has. A count is made once, when it is first asked for, and then follows the pods.
 *
 * Memory: 500 counts, each with the nodes that have such pods.
 */
export class PodCounts {
  readonly #pods: () => Iterable<readonly [PodFacts, NodeInfo]>;
  readonly #counts = new LRUCache<string, Count>({ max: KEPT });

  constructor(pods: () => Iterable<readonly [PodFacts, NodeInfo]>) {
    this.#pods = pods;
  }

  /** The number by node, without nodes that have none. `key` says what `matches` does. */
  of(key: string, matches: (pod: PodFacts) => boolean): ReadonlyMap<NodeInfo, number> {
    const known = this.#counts.get(key);
    if (known !== undefined) return known.byNode;
    const count: Count = { matches, byNode: new Map() };
    for (const [pod, node] of this.#pods()) change(count, pod, node, 1);
    this.#counts.set(key, count);
    return count.byNode;
  }

  changed(pod: PodFacts, node: NodeInfo, by: 1 | -1): void {
    for (const count of this.#counts.values()) change(count, pod, node, by);
  }

  /** After a change of what `matches` functions read. */
  clear(): void {
    this.#counts.clear();
  }
}

function change({ matches, byNode }: Count, pod: PodFacts, node: NodeInfo, by: 1 | -1): void {
  if (!matches(pod)) return;
  const count = (byNode.get(node) ?? 0) + by;
  if (count > 0) byNode.set(node, count);
  else byNode.delete(node);
}
