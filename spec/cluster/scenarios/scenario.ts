import type { ScenarioWorld } from './scenario-world.ts';

export interface Scenario {
  readonly title: string;
  /** What a client sees in the end: it has to be the same on both clusters. */
  run(world: ScenarioWorld): Promise<unknown>;
}
