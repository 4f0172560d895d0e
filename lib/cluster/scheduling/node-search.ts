import type { Runtime } from '../../kernel/time/runtime.ts';
import { randomInteger } from '../../kernel/time/random.ts';
import type { ClusterState } from './model/cluster-state.ts';
import type { FilterRun } from './filter-run.ts';
import type { Diagnosis } from './fit-message.ts';
import type { NodeInfo } from './model/node-info.ts';
import type { PodToPlace } from './model/pod-facts.ts';
import type { PluginName, Rejection } from './model/plugin.ts';
import { SCORES } from './plugins/plugin-list.ts';

const FEWEST = 100;
const LEAST_PERCENT = 5;

/**
 * So many nodes that can take a pod are enough to choose from: all up to 100, and then a share that falls from 50 to 5 percent.
 * @see pkg/scheduler/schedule_one.go numFeasibleNodesToFind @ v1.37.2
 */
export function enoughNodes(all: number): number {
  if (all < FEWEST) return all;
  const percent = Math.max(LEAST_PERCENT, 50 - Math.floor(all / 125));
  return Math.max(FEWEST, Math.floor((all * percent) / 100));
}

/**
 * Finds the node for a pod. Each search goes on where the one before has ended, so that all nodes are asked in turn.
 * @see pkg/scheduler/schedule_one.go schedulePod @ v1.37.2
 */
export class NodeSearch {
  readonly #state: ClusterState;
  readonly #runtime: Pick<Runtime, 'random'>;
  #start = 0;

  constructor(state: ClusterState, runtime: Pick<Runtime, 'random'>) {
    this.#state = state;
    this.#runtime = runtime;
  }

  /** The best node, or why there is none. There has to be a node. `nominated` was cleared for the pod: it is asked first. */
  find(run: FilterRun, nominated: string | undefined): NodeInfo | Diagnosis {
    const rejected = new Map<NodeInfo, Rejection>();
    const fit = run.refusal === undefined ? this.#fitting(run, nominated, rejected) : [];
    const best = this.#best(run.pod, fit);
    if (best !== undefined) return best;
    const { refusal, only } = run;
    const against = [...rejected.values(), ...(refusal === undefined ? [] : [refusal])];
    const plugins = new Set<PluginName>(against.map(({ plugin }) => plugin));
    if (only !== undefined) plugins.add(only.plugin);
    const unasked =
      only === undefined ? undefined : `node(s) didn't satisfy plugin(s) [${only.plugin}]`;
    return { nodes: this.#state.nodes.length, refusal, rejected, unasked, plugins };
  }

  #fitting(
    run: FilterRun,
    nominated: string | undefined,
    rejected: Map<NodeInfo, Rejection>,
  ): NodeInfo[] {
    const cleared = nominated === undefined ? undefined : this.#state.node(nominated);
    if (cleared !== undefined && run.check(cleared) === undefined) return [cleared];
    const nodes = this.#asked(run);
    const enough = enoughNodes(nodes.length);
    const fit: NodeInfo[] = [];
    for (let index = 0; index < nodes.length && fit.length < enough; index += 1) {
      const node = nodes[(this.#start + index) % nodes.length];
      if (node === undefined) continue;
      const against = run.check(node);
      if (against === undefined) fit.push(node);
      else rejected.set(node, against);
    }
    this.#start = (this.#start + fit.length + rejected.size) % this.#state.nodes.length;
    return fit;
  }

  #asked({ only }: FilterRun): readonly NodeInfo[] {
    if (only === undefined) return this.#state.nodes;
    return [...only.names].flatMap((name) => this.#state.node(name) ?? []);
  }

  #best(pod: PodToPlace, nodes: readonly NodeInfo[]): NodeInfo | undefined {
    if (nodes.length < 2) return nodes[0];
    const totals: number[] = nodes.map(() => 0);
    for (const plugin of SCORES) {
      const step = plugin.prepare(pod, this.#state, nodes);
      if (step === undefined) continue;
      const scores = nodes.map(step.score);
      step.normalize?.(scores, nodes);
      for (let index = 0; index < totals.length; index += 1) {
        totals[index] = (totals[index] ?? 0) + plugin.weight * (scores[index] ?? 0);
      }
    }
    let most = Number.NEGATIVE_INFINITY;
    let equals: NodeInfo[] = [];
    for (const [index, node] of nodes.entries()) {
      const total = totals[index] ?? 0;
      if (total < most) continue;
      if (total > most) equals = [];
      most = total;
      equals.push(node);
    }
    return equals[randomInteger(this.#runtime, 0, equals.length - 1)];
  }
}
