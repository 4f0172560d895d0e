import type { RuleCases } from '../rule-cases.ts';

const API = '/apis/flowcontrol.apiserver.k8s.io/v1';
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const metadata = { name: '{ns}-base' };
const RULE = 'spec.rules[0]';
const RESOURCE = `${RULE}.resourceRules[0]`;
const URLS = `${RULE}.nonResourceRules[0]`;

/** Changes of a stored flow schema, in whose status kube-apiserver writes meanwhile whether its priority level exists. */
const DANGLING = 'no condition Dangling is written after a create';

const flowSchema: RuleCases = {
  title: 'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
  collection: `${API}/flowschemas`,
  base: {
    apiVersion,
    kind: 'FlowSchema',
    metadata,
    spec: {
      priorityLevelConfiguration: { name: 'global-default' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          resourceRules: [
            { verbs: ['get'], apiGroups: ['a'], resources: ['b'], namespaces: ['c'] },
          ],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }],
        },
      ],
    },
  },
  creates: [
    { spec: undefined },
    { 'spec.matchingPrecedence': 0 },
    { 'spec.matchingPrecedence': -1 },
    { 'spec.matchingPrecedence': 1 },
    { 'spec.matchingPrecedence': 2 },
    { 'spec.matchingPrecedence': 10000 },
    { 'spec.matchingPrecedence': 10001 },
    { 'spec.distinguisherMethod': { type: 'ByUser' } },
    { 'spec.distinguisherMethod': { type: 'ByOther' } },
    { 'spec.distinguisherMethod': {} },
    { 'spec.priorityLevelConfiguration.name': undefined },
    { 'spec.priorityLevelConfiguration.name': 'A' },
    { 'spec.rules': undefined },
    { [RULE]: {} },
    { [`${RULE}.subjects`]: [] },
    { [`${RULE}.subjects[0]`]: { kind: 'User' } },
    { [`${RULE}.subjects[0]`]: { kind: 'User', user: {} } },
    { [`${RULE}.subjects[0].group`]: { name: 'g' } },
    { [`${RULE}.subjects[0].serviceAccount`]: { name: 'g', namespace: 'n' } },
    { [`${RULE}.subjects[0].kind`]: 'Other' },
    { [`${RULE}.subjects[0].kind`]: '' },
    { [`${RULE}.subjects[0].kind`]: 'Group' },
    { [`${RULE}.subjects[0]`]: { kind: 'Group', group: { name: 'g' } } },
    { [`${RULE}.subjects[0]`]: { kind: 'Group', group: { name: '*' } } },
    { [`${RULE}.subjects[0]`]: { kind: 'Group', group: {} } },
    {
      [`${RULE}.subjects[0]`]: {
        kind: 'Group',
        group: { name: 'g' },
        serviceAccount: { name: 's', namespace: 'n' },
      },
    },
    { [`${RULE}.subjects[0].kind`]: 'ServiceAccount' },
    {
      [`${RULE}.subjects[0]`]: {
        kind: 'ServiceAccount',
        serviceAccount: { name: 's', namespace: 'n' },
        group: { name: 'g' },
      },
    },
    ...[
      { name: '*', namespace: 'n' },
      { name: 's', namespace: '*' },
      { name: 's' },
      { namespace: 'n' },
      { name: 'A_', namespace: 'n' },
      { name: 's', namespace: 'n.m' },
    ].map((serviceAccount) => ({
      [`${RULE}.subjects[0]`]: { kind: 'ServiceAccount', serviceAccount },
    })),
    { [`${RULE}.resourceRules`]: undefined },
    { [`${RULE}.nonResourceRules`]: undefined },
    { [`${RULE}.resourceRules`]: [], [`${RULE}.nonResourceRules`]: [] },
    { [`${RESOURCE}.verbs`]: [] },
    { [`${RESOURCE}.verbs`]: ['*'] },
    { [`${RESOURCE}.verbs`]: ['*', 'get'] },
    { [`${RESOURCE}.verbs`]: ['get', 'other'] },
    { [`${RESOURCE}.verbs`]: ['get', 'get', 'proxy'] },
    { [`${RESOURCE}.apiGroups`]: undefined },
    { [`${RESOURCE}.apiGroups`]: ['*'] },
    { [`${RESOURCE}.apiGroups`]: ['*', 'a'] },
    { [`${RESOURCE}.resources`]: [] },
    { [`${RESOURCE}.resources`]: ['a', '*'] },
    { [`${RESOURCE}.resources`]: ['a/b', 'a'] },
    { [`${RESOURCE}.namespaces`]: undefined },
    { [`${RESOURCE}.namespaces`]: undefined, [`${RESOURCE}.clusterScope`]: true },
    { [`${RESOURCE}.namespaces`]: ['*', 'a'] },
    { [`${RESOURCE}.namespaces`]: ['a', 'B'] },
    { [`${RESOURCE}.namespaces`]: ['*'] },
    { [`${URLS}.verbs`]: undefined },
    { [`${URLS}.verbs`]: ['other'] },
    { [`${URLS}.verbs`]: ['*', 'get'] },
    { [`${URLS}.nonResourceURLs`]: undefined },
    { [`${URLS}.nonResourceURLs`]: ['*', '/a'] },
    { [`${URLS}.nonResourceURLs`]: [''] },
    { [`${URLS}.nonResourceURLs`]: ['/'] },
    { [`${URLS}.nonResourceURLs`]: ['a'] },
    { [`${URLS}.nonResourceURLs`]: ['/a b'] },
    { [`${URLS}.nonResourceURLs`]: ['/a//b'] },
    { [`${URLS}.nonResourceURLs`]: ['/a/*'] },
    { [`${URLS}.nonResourceURLs`]: ['/a*'] },
    { [`${URLS}.nonResourceURLs`]: ['/*/b'] },
    { 'metadata.name': 'exempt' },
    { 'metadata.name': 'catch-all' },
  ],
  updates: [
    { 'spec.matchingPrecedence': 5 },
    { 'spec.matchingPrecedence': 0 },
    { 'metadata.labels': { a: 'b' } },
    { status: { conditions: [{ type: 'Dangling' }] } },
  ],
  statuses: [
    { status: { conditions: [{ type: 'Dangling', status: 'True' }] } },
    { status: { conditions: [{ status: 'True' }] } },
    { status: { conditions: [{ type: 'A' }, { type: 'A' }] } },
    { 'metadata.labels': { a: 'b' } },
    { 'spec.matchingPrecedence': 5 },
  ],
  differs: {
    'update spec.matchingPrecedence = 5': DANGLING,
    'update spec.matchingPrecedence = 0': DANGLING,
    'update metadata.labels = {"a":"b"}': DANGLING,
    'update status = {"conditions":[{"type":"Dangling"}]}': DANGLING,
    'status metadata.labels = {"a":"b"}': DANGLING,
    'status spec.matchingPrecedence = 5': DANGLING,
  },
};

const LIMITED = 'spec.limited';
const RESPONSE = `${LIMITED}.limitResponse`;
const QUEUING = `${RESPONSE}.queuing`;

const priorityLevel: RuleCases = {
  title: 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
  collection: `${API}/prioritylevelconfigurations`,
  base: {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata,
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  },
  creates: [
    { spec: undefined },
    { 'spec.type': undefined },
    { 'spec.type': 'Other' },
    { 'spec.type': 'Exempt' },
    { spec: { type: 'Exempt' } },
    { spec: { type: 'Exempt', exempt: {} } },
    { spec: { type: 'Limited' } },
    { spec: { type: 'Limited', limited: {} } },
    { 'spec.exempt': {} },
    { [`${LIMITED}.nominalConcurrencyShares`]: 0 },
    { [`${LIMITED}.nominalConcurrencyShares`]: -1 },
    { [`${LIMITED}.lendablePercent`]: 100 },
    { [`${LIMITED}.lendablePercent`]: 101 },
    { [`${LIMITED}.lendablePercent`]: -1 },
    { [`${LIMITED}.borrowingLimitPercent`]: 0 },
    { [`${LIMITED}.borrowingLimitPercent`]: 1000 },
    { [`${LIMITED}.borrowingLimitPercent`]: -1 },
    { [RESPONSE]: { type: 'Reject' } },
    { [`${RESPONSE}.type`]: 'Reject' },
    { [`${RESPONSE}.type`]: 'Other' },
    { [`${RESPONSE}.type`]: undefined },
    { [RESPONSE]: { type: 'Queue' } },
    { [`${QUEUING}.queues`]: -1 },
    { [`${QUEUING}.queues`]: 0 },
    { [`${QUEUING}.queues`]: 10000000 },
    { [`${QUEUING}.queues`]: 10000001 },
    { [`${QUEUING}.queues`]: 4 },
    { [`${QUEUING}.handSize`]: -1 },
    { [`${QUEUING}.handSize`]: 64 },
    { [`${QUEUING}.handSize`]: 10 },
    { [`${QUEUING}.handSize`]: 11 },
    { [`${QUEUING}.handSize`]: 12 },
    { [`${QUEUING}.queueLengthLimit`]: -1 },
    { 'metadata.annotations': { 'flowcontrol.k8s.io/concurrency-shares-defaults': 'a' } },
    {
      'metadata.annotations': {
        'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': 'a',
      },
    },
    { 'metadata.name': 'exempt' },
    { 'metadata.name': 'exempt', spec: { type: 'Exempt', exempt: { lendablePercent: 101 } } },
    {
      'metadata.name': 'exempt',
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: -1 } },
    },
    { 'metadata.name': 'catch-all' },
  ],
  updates: [
    { [`${LIMITED}.nominalConcurrencyShares`]: 5 },
    { [`${LIMITED}.nominalConcurrencyShares`]: -1 },
    { 'metadata.labels': { a: 'b' } },
    { status: { conditions: [{ type: 'A' }] } },
  ],
  statuses: [
    { status: { conditions: [{ type: 'A', status: 'True' }] } },
    { status: { conditions: [{ status: 'True' }] } },
    { status: { conditions: [{ type: 'A' }, { type: 'A' }] } },
    { 'spec.type': 'Exempt' },
    { 'metadata.labels': { a: 'b' } },
  ],
};

export const cases: readonly RuleCases[] = [flowSchema, priorityLevel];
