import type { ClusterState } from './model/cluster-state.ts';
import type { NodeInfo } from './model/node-info.ts';
import type { PodFacts, PodToPlace } from './model/pod-facts.ts';
import type { FilterStep, PluginName, Rejection } from './model/plugin.ts';
import { FILTERS } from './plugins/plugin-list.ts';

/** Pods that are to come to a node once others have left it. */
export type NominatedPods = (node: string) => Iterable<PodFacts> | undefined;

/** The filters of one pod, which are asked for node after node. */
export class FilterRun {
  readonly pod: PodToPlace;
  readonly refusal: Rejection | undefined;
  /** The only nodes that can take the pod, and which plug-in says so. */
  readonly only: { readonly names: ReadonlySet<string>; readonly plugin: PluginName } | undefined;
  readonly #steps: readonly FilterStep[];
  readonly #nominated: NominatedPods;

  constructor(pod: PodToPlace, state: ClusterState, nominated: NominatedPods) {
    this.pod = pod;
    this.#nominated = nominated;
    const steps: FilterStep[] = [];
    this.#steps = steps;
    for (const plugin of FILTERS) {
      const prepared = plugin.prepare(pod, state);
      if (prepared === undefined) continue;
      const { step, refusal, only } = prepared;
      if (refusal !== undefined) {
        this.refusal = refusal;
        return;
      }
      if (step !== undefined) steps.push(step);
      if (only !== undefined) this.only = { names: only, plugin: plugin.name };
    }
  }

  /**
   * Why the node cannot take the pod. It has to have room with the pods of the same or a higher priority that are nominated for it, and
   * without them.
   * @see pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods @ v1.37.2
   */
  check(node: NodeInfo): Rejection | undefined {
    return this.#crowded(node, this.#steps) ?? filtered(node, this.#steps);
  }

  /** The filters for a trial with one node. */
  trial(node: NodeInfo): Trial {
    const steps = copied(this.#steps);
    const copy = node.copy();
    return {
      node: copy,
      add: (pod) => {
        copy.add(pod);
        for (const step of steps) step.shift?.(pod, copy, 1);
      },
      remove: (pod) => {
        copy.remove(pod);
        for (const step of steps) step.shift?.(pod, copy, -1);
      },
      check: () => this.#crowded(copy, steps) ?? filtered(copy, steps),
    };
  }

  #crowded(node: NodeInfo, steps: readonly FilterStep[]): Rejection | undefined {
    const nominees = this.#nominated(node.name);
    if (nominees === undefined) return undefined;
    let crowd: NodeInfo | undefined;
    let shifted = steps;
    const { facts } = this.pod;
    for (const nominee of nominees) {
      if (nominee.priority < facts.priority || nominee.uid === facts.uid) continue;
      if (crowd === undefined) {
        crowd = node.copy();
        shifted = copied(steps);
      }
      crowd.add(nominee);
      for (const step of shifted) step.shift?.(nominee, crowd, 1);
    }
    return crowd === undefined ? undefined : filtered(crowd, shifted);
  }
}

/** A node on which pods come and go as a trial. */
export interface Trial {
  readonly node: NodeInfo;
  add(pod: PodFacts): void;
  remove(pod: PodFacts): void;
  check(): Rejection | undefined;
}

function copied(steps: readonly FilterStep[]): readonly FilterStep[] {
  return steps.map((step) => step.copy?.() ?? step);
}

function filtered(node: NodeInfo, steps: readonly FilterStep[]): Rejection | undefined {
  for (const { filter } of steps) {
    const rejected = filter(node);
    if (rejected !== undefined) return rejected;
  }
  return undefined;
}
