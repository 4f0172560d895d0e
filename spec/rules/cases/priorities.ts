import type { RuleCases } from '../rule-cases.ts';

const CLASS = '{ns}-high';

/** The class of a pod decides its priority. */
export const cases: readonly RuleCases[] = [
  {
    title: 'v1 Pod, priority',
    collection: '/api/v1/namespaces/{ns}/pods',
    before: [
      {
        collection: '/apis/scheduling.k8s.io/v1/priorityclasses',
        object: {
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: CLASS },
          value: 7,
          preemptionPolicy: 'Never',
        },
      },
    ],
    base: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'base' },
      spec: { containers: [{ name: 'c', image: 'i:1' }], priorityClassName: CLASS },
    },
    creates: [
      { 'spec.priorityClassName': undefined },
      { 'spec.priorityClassName': 'missing' },
      { 'spec.priorityClassName': 'Wrong Name' },
      { 'spec.priorityClassName': 'system-node-critical' },
      { 'spec.priority': 7 },
      { 'spec.priority': 8 },
      { 'spec.preemptionPolicy': 'Never' },
      { 'spec.preemptionPolicy': 'PreemptLowerPriority' },
      { 'spec.preemptionPolicy': 'Other' },
      { 'metadata.name': undefined, 'metadata.generateName': 'gen-', 'spec.priority': 8 },
    ],
    updates: [
      { 'metadata.labels': { a: 'b' } },
      { 'spec.priority': undefined },
      { 'spec.priority': 8 },
    ],
  },
];
