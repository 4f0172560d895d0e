import { changing } from './scenarios/changing.ts';
import { creating } from './scenarios/creating.ts';
import { reading } from './scenarios/reading.ts';
import { special } from './scenarios/special.ts';
import { workloads } from './scenarios/workloads.ts';
import type { Scenario } from './scenario.ts';

/** In an order that does not change, because names of namespaces and draws depend on it. */
export const allScenarios: readonly Scenario[] = [
  ...reading,
  ...creating,
  ...changing,
  ...workloads,
  ...special,
];
