import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const apiVersion = 'apiregistration.k8s.io/v1';
const collection = '/apis/apiregistration.k8s.io/v1/apiservices';
const metadata = { name: '{ns}.example.com' };
const spec = {
  group: 'example.com',
  version: '{ns}',
  groupPriorityMinimum: 100,
  versionPriority: 10,
};

/** The name of an APIService follows from its spec. */
const created = (change: Change): Change => ({ 'spec.group': 'example.com-2', ...change });

const condition = { type: 'Available', status: 'True', reason: 'a', message: 'b' };

export const cases: readonly RuleCases[] = [
  {
    title: 'apiregistration.k8s.io/v1 APIService',
    collection,
    base: {
      apiVersion,
      kind: 'APIService',
      metadata,
      spec: { ...spec, service: { namespace: 'a', name: 'b' }, insecureSkipTLSVerify: true },
    },
    creates: [
      { 'metadata.labels': { a: 'b' } },
      { 'metadata.name': 'other' },
      { 'metadata.name': 'a/b' },
      { 'spec.group': undefined },
      { 'spec.group': 'A' },
      { 'spec.version': undefined },
      { 'spec.version': '1a' },
      { 'spec.groupPriorityMinimum': 0 },
      { 'spec.groupPriorityMinimum': undefined },
      { 'spec.groupPriorityMinimum': 20000 },
      { 'spec.groupPriorityMinimum': 20001 },
      { 'spec.versionPriority': 0 },
      { 'spec.versionPriority': 1000 },
      { 'spec.versionPriority': 1001 },
      { 'spec.service.namespace': undefined },
      { 'spec.service.name': undefined },
      { 'spec.service.port': 0 },
      { 'spec.service.port': 65536 },
      { 'spec.service.port': 8443 },
      { 'spec.caBundle': 'YQ==' },
      { 'spec.caBundle': 'YQ==', 'spec.insecureSkipTLSVerify': undefined },
      { status: { conditions: [condition] } },
      { spec: undefined },
    ].map(created),
    updates: [
      { 'spec.group': 'other.com' },
      { 'spec.version': 'v2' },
      { 'spec.versionPriority': -1 },
      { 'spec.service.port': 0 },
    ],
  },
  {
    title: 'apiregistration.k8s.io/v1 APIService, local',
    collection,
    base: {
      apiVersion,
      kind: 'APIService',
      metadata: { name: '{ns}.local.example.com' },
      spec: { ...spec, group: 'local.example.com' },
    },
    creates: [
      { 'spec.caBundle': 'YQ==' },
      { 'spec.insecureSkipTLSVerify': true },
      { 'spec.service': {} },
    ].map((change) => ({ 'spec.group': 'local.example.com-2', ...change })),
    // The status of a remote one changes between the requests, as kube-apiserver looks for its service.
    updates: [
      { 'spec.caBundle': 'YQ==' },
      { 'spec.versionPriority': 11 },
      { 'spec.service': { namespace: 'a', name: 'b' } },
      { 'metadata.labels': { a: 'b' } },
      { 'status.conditions': [condition] },
    ],
    statuses: [
      { 'status.conditions': [condition] },
      { 'status.conditions': [{ ...condition, status: 'Maybe' }] },
      { 'status.conditions': [{ ...condition, status: '' }] },
      { 'status.conditions': [condition, condition] },
      { 'metadata.labels': { a: 'b' } },
      { 'spec.versionPriority': 11 },
    ],
  },
];
