import type { RuleCases } from '../rule-cases.ts';

const range = (item: object): RuleCases['creates'] & object => [{ 'spec.limits': [item] }];
const of = (type: string, members: object): RuleCases['creates'] & object =>
  range({ type, ...members });

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 LimitRange',
    collection: '/api/v1/namespaces/{ns}/limitranges',
    base: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'base', labels: { a: 'b' }, annotations: { a: 'b' } },
      spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] },
    },
    creates: [
      { 'metadata.name': undefined, 'metadata.generateName': 'a-' },
      { 'spec.limits': [] },
      ...of('Other', {}),
      ...of('', {}),
      ...of('a b', {}),
      ...of('example.com/own', { max: { storage: '1' } }),
      ...range({}),
      { 'spec.limits': [{ type: 'Pod' }, { type: 'Pod' }] },
      ...of('Pod', { max: { cpu: '2' }, min: { cpu: '1' } }),
      ...of('Pod', { default: { cpu: '2' } }),
      ...of('Pod', { defaultRequest: { cpu: '2' } }),
      ...of('Container', { max: { storage: '1' } }),
      ...of('Container', { min: { other: '1' } }),
      ...of('Container', { max: { 'a b': '1' } }),
      ...of('Container', { max: { 'example.com/a': '1' } }),
      ...of('Container', { max: { 'requests.example.com/a': '1' } }),
      ...of('Container', { max: { 'hugepages-2Mi': '2Mi' } }),
      ...of('Container', { max: { cpu: '1' }, min: { cpu: '2' } }),
      ...of('Container', { default: { cpu: '1' }, min: { cpu: '2' } }),
      ...of('Container', { default: { cpu: '3' }, max: { cpu: '2' } }),
      ...of('Container', { default: { cpu: '1' }, defaultRequest: { cpu: '2' } }),
      ...of('Container', {
        defaultRequest: { cpu: '1' },
        min: { cpu: '2' },
        default: { cpu: '2' },
      }),
      ...of('Container', { defaultRequest: { cpu: '3' }, max: { cpu: '2' } }),
      ...of('Container', { maxLimitRequestRatio: { cpu: '500m' } }),
      ...of('Container', { maxLimitRequestRatio: { cpu: '2' } }),
      ...of('Container', {
        maxLimitRequestRatio: { cpu: '4' },
        min: { cpu: '1' },
        max: { cpu: '3' },
      }),
      ...of('Container', {
        maxLimitRequestRatio: { cpu: '3' },
        min: { cpu: '1' },
        max: { cpu: '3' },
      }),
      ...of('Container', {
        maxLimitRequestRatio: { cpu: '3' },
        min: { cpu: '0' },
        max: { cpu: '0' },
      }),
      ...of('Container', {
        maxLimitRequestRatio: { cpu: '3' },
        min: { cpu: '0' },
        max: { cpu: '1' },
      }),
      ...of('Container', {
        maxLimitRequestRatio: { cpu: '2500m' },
        min: { cpu: '300m' },
        max: { cpu: '700m' },
      }),
      ...of('Container', {
        default: { 'example.com/a': '2' },
        defaultRequest: { 'example.com/a': '1' },
      }),
      ...of('PersistentVolumeClaim', {}),
      ...of('PersistentVolumeClaim', { max: { storage: '1Gi' } }),
      ...of('PersistentVolumeClaim', { min: { storage: '2Gi' }, max: { storage: '1Gi' } }),
    ],
    updates: [
      { 'spec.limits': [{ type: 'Other' }] },
      { 'spec.limits': [{ type: 'Pod', max: { cpu: '1' } }] },
    ],
  },
];
