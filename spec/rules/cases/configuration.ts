import type { RuleCases } from '../rule-cases.ts';

const meta = { name: 'base' };

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 ConfigMap',
    collection: '/api/v1/namespaces/{ns}/configmaps',
    base: { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta, data: { a: 'b' } },
    creates: [
      { 'data["with space"]': 'x' },
      { 'data["."]': 'x' },
      { 'data[".."]': 'x' },
      { 'binaryData.a': 'AA==' },
      { immutable: true },
      { 'data.big': 'x'.repeat(1024 * 1024) },
      { 'metadata.name': 'Upper' },
      { 'metadata.labels["a/b/c"]': 'x' },
    ],
    updates: [{ 'data.a': 'c' }, { immutable: true }, { 'metadata.name': 'other' }],
  },
  {
    title: 'v1 ConfigMap, immutable',
    collection: '/api/v1/namespaces/{ns}/configmaps',
    base: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: meta,
      data: { a: 'b' },
      immutable: true,
    },
    updates: [{ 'data.a': 'c' }, { immutable: undefined }, { immutable: false }],
  },
];
