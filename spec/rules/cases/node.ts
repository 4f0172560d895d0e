import type { RuleCases } from '../rule-cases.ts';

export const cases: readonly RuleCases[] = [
  {
    title: 'node.k8s.io/v1 RuntimeClass',
    collection: '/apis/node.k8s.io/v1/runtimeclasses',
    base: {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: '{ns}-base' },
      handler: 'h',
    },
    creates: [
      { handler: undefined },
      { handler: 'A' },
      { handler: 'a.b' },
      { handler: 'x'.repeat(64) },
      { overhead: {} },
      { overhead: { podFixed: { cpu: '100m', memory: '1Gi' } } },
      { overhead: { podFixed: { cpu: '-1' } } },
      { overhead: { podFixed: { 'a b': '1' } } },
      { overhead: { podFixed: { other: '1' } } },
      { overhead: { podFixed: { 'example.com/a': '1.5' } } },
      { scheduling: {} },
      { scheduling: { nodeSelector: { a: 'b' } } },
      { scheduling: { nodeSelector: { 'a b': 'b' } } },
      { scheduling: { nodeSelector: { a: 'b c' } } },
      { scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
      { scheduling: { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] } },
      { scheduling: { tolerations: [{ key: 'a b', operator: 'Exists' }] } },
      { scheduling: { tolerations: [{ operator: 'Equal', value: 'a' }] } },
      { scheduling: { tolerations: [{ key: 'a', operator: 'Exists', value: 'a' }] } },
      { scheduling: { tolerations: [{ key: 'a', operator: 'Is' }] } },
      { scheduling: { tolerations: [{ key: 'a', effect: 'Other' }] } },
      {
        scheduling: { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 1 }] },
      },
      { scheduling: { tolerations: [{ key: 'a' }, { key: 'a' }] } },
      { scheduling: { tolerations: [{ key: 'a', value: 'b' }, { key: 'a' }] } },
    ],
    updates: [
      { handler: 'other' },
      { handler: '' },
      { overhead: { podFixed: { cpu: '1' } } },
      { scheduling: { nodeSelector: { a: 'b' } } },
    ],
  },
];
