import type { ScenarioWorld } from './scenario-world.ts';

export interface Scenario {
  readonly title: string;
  /** Its outcome depends on all nodes of the cluster: no other scenario runs at the same time. */
  readonly alone?: boolean;
  /** The final state that a client sees: it has to be the same on both clusters. */
  run(world: ScenarioWorld): Promise<unknown>;
}

/** Values in the order of their texts; undefined ones come last. */
export function inOrder<T>(values: readonly T[]): T[] {
  const text = (value: T): string => (value === undefined ? '\uFFFF' : String(value));
  return values.toSorted((one, other) => (text(one) < text(other) ? -1 : 1));
}
