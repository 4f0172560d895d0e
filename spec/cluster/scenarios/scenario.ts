import type { ScenarioWorld } from './scenario-world.ts';

export interface Scenario {
  readonly title: string;
  /** The final state that a client sees: it has to be the same on both clusters. */
  run(world: ScenarioWorld): Promise<unknown>;
}
