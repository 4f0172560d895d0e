import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import type { ClusterPart } from '../../../lib/cluster/resources/cluster-parts.ts';
import type { WorkloadParts } from '../../../lib/cluster/resources/workload-parts.ts';
import { onAbort } from '../../../lib/kernel/time/abort.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { ClusterState, WorkloadStep } from '../../../lib/simulator/contract/world.ts';

/** Simulations of one controller, each with other operations of users. */
export interface PartSimulation {
  readonly name: string;
  /** Those of a number, from 0. */
  readonly options: (variant: number) => SimulationOptions;
}

export type MakePart = (parts: WorkloadParts) => ClusterPart;

/** Parts of a cluster as one process, with caches of its own. */
export function simulatedParts(name: string, ...made: readonly MakePart[]): SimulatedController {
  return {
    name,
    run: async ({ client, runtime, signal, logger }) => {
      await using informers = new SharedInformerFactory(client, { runtime, logger });
      informers.start();
      const parts = made.map((make) => make({ client, informers, runtime, logger }));
      for (const part of parts) part.start();
      await new Promise<void>((resolve) => onAbort(signal, resolve));
      for (const part of parts) await part[Symbol.asyncDispose]();
    },
  };
}

/** Draws whole numbers from 0 to below `count`. */
export type Pick = (count: number) => number;

export interface DrawnStep {
  readonly title: string;
  act(user: Client): Promise<unknown>;
}

export interface RandomWorkload {
  readonly variant: number;
  readonly first: readonly DrawnStep[];
  /** Makes a step. All is drawn when it is made, so that it is the same in every run. */
  readonly draws: readonly ((pick: Pick) => DrawnStep)[];
  readonly count: number;
  readonly last?: readonly DrawnStep[];
  /** Whether the controllers have done what is to be done. */
  readonly settled: (state: ClusterState) => boolean;
}

/** Operations of users at random: after some of them the next one comes at once, after others when all is done, or when all is quiet. */
export function randomWorkload(workload: RandomWorkload): readonly WorkloadStep[] {
  const { variant, first, draws, count, last = [], settled } = workload;
  const random = seededRandom(variant);
  const pick: Pick = (limit) => Math.floor(random() * limit);
  const drawn = Array.from({ length: count }, () => draws[pick(draws.length)]?.(pick));
  return [...first, ...drawn, ...last].flatMap((step, index, all): WorkloadStep[] => {
    if (step === undefined) return [];
    const act = async (user: Client): Promise<void> => void (await step.act(user));
    const { title } = step;
    if (index === all.length - 1) return [{ title, act, until: settled }];
    const untils = [settled, () => true, undefined] as const;
    return [{ title, act, until: untils[pick(untils.length)] }];
  });
}

/** The n-th of some objects by name, if there are any. */
export function nth<T>(items: readonly T[], n: number): T | undefined {
  return items[n % Math.max(1, items.length)];
}
