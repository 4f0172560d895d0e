import type { PodTerm, PodTerms } from './affinity-terms.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodFacts } from './pod-facts.ts';

/** One term, and how many pods with it each node has. */
export interface PlacedTerm {
  readonly term: PodTerm;
  readonly byNode: ReadonlyMap<NodeInfo, number>;
}

export type TermKind = keyof PodTerms;

interface Counted extends PlacedTerm {
  readonly byNode: Map<NodeInfo, number>;
}

const KINDS = ['near', 'far', 'preferNear', 'preferFar'] as const;

/**
 * The terms of the pods on nodes. Pods of one template have equal terms, so that there are few to ask for a new pod.
 *
 * Memory: each different term once, with the nodes that have pods with it.
 */
export class PlacedTerms {
  readonly #terms: Readonly<Record<TermKind, Map<string, Counted>>> = {
    near: new Map(),
    far: new Map(),
    preferNear: new Map(),
    preferFar: new Map(),
  };
  #selecting = 0;

  /** Whether some term selects namespaces by their labels. */
  get needsNamespaces(): boolean {
    return this.#selecting > 0;
  }

  all(kind: TermKind): Iterable<PlacedTerm> {
    return this.#terms[kind].values();
  }

  changed({ terms }: PodFacts, node: NodeInfo, by: 1 | -1): void {
    if (terms === undefined) return;
    for (const kind of KINDS) {
      for (const term of terms[kind]) this.#count(kind, term, node, by);
    }
  }

  #count(kind: TermKind, term: PodTerm, node: NodeInfo, by: 1 | -1): void {
    const key = `${term.weight} ${term.topologyKey} ${term.key}`;
    const counted = this.#terms[kind].get(key) ?? { term, byNode: new Map<NodeInfo, number>() };
    const count = (counted.byNode.get(node) ?? 0) + by;
    if (count > 0) counted.byNode.set(node, count);
    else counted.byNode.delete(node);
    if (counted.byNode.size > 0) this.#terms[kind].set(key, counted);
    else this.#terms[kind].delete(key);
    if (term.namespaceSelector?.empty === false) this.#selecting += by;
  }
}
