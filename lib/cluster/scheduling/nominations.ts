import type { PodFacts } from './model/pod-facts.ts';

/**
 * The nodes that were cleared for pods, until these are placed, are gone, or get another one.
 * @see pkg/scheduler/backend/queue/nominator.go @ v1.37.2
 */
export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodFacts>>();
  readonly #nodes = new Map<string, string>();
  readonly #onFree: (pod: PodFacts) => void;

  /** `onFree` gets each pod that a node is not kept for any more: others of its priority or below counted it as if it were there. */
  constructor(onFree: (pod: PodFacts) => void) {
    this.#onFree = onFree;
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodes.get(uid);
  }

  /** Undefined for a node that no pod waits for, as almost all are. */
  on(node: string): Iterable<PodFacts> | undefined {
    return this.#byNode.size === 0 ? undefined : this.#byNode.get(node)?.values();
  }

  set(pod: PodFacts, node: string): void {
    if (this.#nodes.get(pod.uid) !== node) this.delete(pod.uid);
    if (node === '') return;
    this.#nodes.set(pod.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodFacts>();
    pods.set(pod.uid, pod);
    this.#byNode.set(node, pods);
  }

  delete(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    const pods = this.#byNode.get(node);
    const pod = pods?.get(uid);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
    if (pod !== undefined) this.#onFree(pod);
  }
}
