import type { InspectedWorkloads } from '../../../lib/inspector/contract/inspected-parts.ts';

/** Without a blank in its last word. */
export const LONG_ERROR =
  'deployments "bad" is forbidden: exceeded quota: small, requested: cpu=2, limited: cpu=1, at https://a.example.com/with/a/long/path/that/has/no/blank/in/it/at/all';

/** A cluster in trouble. */
export const TROUBLE: InspectedWorkloads = {
  scheduler: { active: 0, backingOff: 1, unschedulable: 2, gated: 1, binding: 1 },
  nodes: {
    nodes: [
      { name: 'node-1', phase: 'running', pods: { Running: 40, Pending: 2 } },
      { name: 'node-2', phase: 'failed', pods: { Running: 3, Failed: 1, Unknown: 1 } },
    ],
    pods: { Running: 43, ContainerCreating: 2, CrashLoopBackOff: 1, Completed: 9, Terminating: 1 },
  },
  rollouts: [
    {
      key: 'shop/web',
      state: 'complete',
      wanted: 40,
      updated: 40,
      available: 40,
      present: 40,
      message: undefined,
    },
    {
      key: 'shop/a-deployment-with-a-name-as-long-as-names-of-generated-objects-are',
      state: 'failed',
      wanted: 3,
      updated: 1,
      available: 2,
      present: 4,
      message: LONG_ERROR,
    },
  ],
};
