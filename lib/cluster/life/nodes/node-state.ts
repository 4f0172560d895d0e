import { RecentMap } from '../../../kernel/data/recent-map.ts';
import { hostPorts, podRequests, type Amounts, type NodeUse } from './node-fit.ts';
import type { PodAddresses } from './node-addresses.ts';
import type { NodeModel } from './node-options.ts';
import type { Node, PodSpec } from '../../../types/built-in/core-v1-kinds.ts';

/**
 * | phase | |
 * |---|---|
 * | `starting` | it is not registered yet |
 * | `running` | |
 * | `failed` | it was made to fail: nothing on it changes |
 * | `deleted` | its object was deleted by somebody: it registers again only when it recovers |
 * | `replaced` | another process runs a node of this name |
 */
export type NodePhase = 'starting' | 'running' | 'failed' | 'deleted' | 'replaced';

const MOST_IMAGES = 500;

interface Taken {
  readonly requests: Amounts;
  readonly ports: readonly string[];
}

/** A node: its phase, and its pods with what they take of it. */
export class NodeState {
  readonly model: NodeModel;
  readonly address: string;
  readonly pods: PodAddresses;
  phase: NodePhase = 'starting';
  /** As the API server has it. */
  node: Node | undefined;
  /** The images that it has: the last ones. */
  readonly images: RecentMap<string, true> = new RecentMap(MOST_IMAGES);
  readonly #taken = new Map<string, Taken>();
  readonly #used = new Map<string, number>();
  readonly #ports = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  constructor(model: NodeModel, address: string, pods: PodAddresses) {
    this.model = model;
    this.address = address;
    this.pods = pods;
  }

  get name(): string {
    return this.model.name;
  }

  get use(): NodeUse {
    return { pods: this.#taken.size, used: this.#used, ports: this.#ports };
  }

  /** The use of the node by its other pods. */
  useWithout(key: string): NodeUse {
    const taken = this.#taken.get(key);
    if (taken === undefined) return this.use;
    const used = new Map(this.#used);
    for (const [name, amount] of taken.requests) used.set(name, (used.get(name) ?? 0) - amount);
    return { pods: this.#taken.size - 1, used, ports: this.#ports };
  }

  /** The pod is looked at when another one has left the node. */
  waitForRoom(key: string, onRoom: () => void): void {
    this.#waiting.set(key, onRoom);
  }

  /** A pod is on the node from now on. */
  take(key: string, spec: PodSpec): void {
    this.release(key);
    const taken = { requests: podRequests(spec), ports: hostPorts(spec) };
    this.#taken.set(key, taken);
    for (const [name, amount] of taken.requests) this.#add(name, amount);
    for (const port of taken.ports) this.#ports.add(port);
  }

  /** It takes nothing any more. */
  release(key: string): void {
    const taken = this.#taken.get(key);
    if (taken === undefined) return;
    this.#taken.delete(key);
    for (const [name, amount] of taken.requests) this.#add(name, -amount);
    for (const port of taken.ports) this.#ports.delete(port);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const onRoom of waiting) onRoom();
  }

  #add(name: string, amount: number): void {
    this.#used.set(name, (this.#used.get(name) ?? 0) + amount);
  }
}
