import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const API = '/apis/admissionregistration.k8s.io/v1';
const apiVersion = 'admissionregistration.k8s.io/v1';
const metadata = { name: '{ns}-base' };
const rule = {
  operations: ['CREATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
};
const wrongSelectors = [
  { matchLabels: { 'a b': 'c' } },
  { matchLabels: { a: 'b c' } },
  { matchExpressions: [{ key: 'a', operator: 'Is' }] },
];

/** Changes of a rule at a path. */
function ofRule(path: string): readonly Change[] {
  return [
    { [`${path}.operations`]: undefined },
    { [`${path}.operations`]: ['*'] },
    { [`${path}.operations`]: ['*', 'CREATE'] },
    { [`${path}.operations`]: ['CREATE', 'Other'] },
    { [`${path}.operations`]: ['DELETE', 'CONNECT', 'UPDATE'] },
    { [`${path}.apiGroups`]: undefined },
    { [`${path}.apiGroups`]: ['*', 'a'] },
    { [`${path}.apiGroups`]: [''] },
    { [`${path}.apiVersions`]: undefined },
    { [`${path}.apiVersions`]: ['*', 'a'] },
    { [`${path}.apiVersions`]: ['v1', ''] },
    { [`${path}.resources`]: undefined },
    { [`${path}.resources`]: ['a', ''] },
    { [`${path}.resources`]: ['*/*', 'a'] },
    { [`${path}.resources`]: ['*', 'a'] },
    { [`${path}.resources`]: ['a', '*'] },
    { [`${path}.resources`]: ['*', 'a/b'] },
    { [`${path}.resources`]: ['a/*', 'a/b'] },
    { [`${path}.resources`]: ['*/b', 'a/b'] },
    { [`${path}.resources`]: ['a/b', 'a/*'] },
    { [`${path}.scope`]: 'Namespaced' },
    { [`${path}.scope`]: 'Other' },
    { [`${path}.scope`]: '' },
  ];
}

/** Changes of match conditions at a path, whose expressions are right. */
function ofConditions(path: string): readonly Change[] {
  return [
    { [path]: [{ name: 'a', expression: 'true' }] },
    { [path]: [{ name: 'a', expression: ' ' }] },
    { [path]: [{ expression: 'true' }] },
    { [path]: [{ name: 'a b', expression: 'true' }] },
    { [path]: [{}] },
    { [path]: [1, 2].map(() => ({ name: 'a', expression: 'true' })) },
    {
      [path]: Array.from({ length: 65 }, (_none, at) => ({ name: `a${at}`, expression: 'true' })),
    },
  ];
}

const HOOK = 'webhooks[0]';
const SERVICE = `${HOOK}.clientConfig.service`;

const ofHooks: readonly Change[] = [
  { webhooks: undefined },
  { [`${HOOK}.name`]: undefined },
  { [`${HOOK}.name`]: 'a.b' },
  { [`${HOOK}.name`]: 'A.b.c' },
  { 'webhooks[1]': { name: 'a.b.c' } },
  { [`${HOOK}.sideEffects`]: undefined },
  { [`${HOOK}.sideEffects`]: 'Some' },
  { [`${HOOK}.sideEffects`]: 'Other' },
  { [`${HOOK}.sideEffects`]: 'NoneOnDryRun' },
  { [`${HOOK}.admissionReviewVersions`]: undefined },
  { [`${HOOK}.admissionReviewVersions`]: ['v2'] },
  { [`${HOOK}.admissionReviewVersions`]: ['v2', 'v1beta1'] },
  { [`${HOOK}.admissionReviewVersions`]: ['v1', 'v1'] },
  { [`${HOOK}.admissionReviewVersions`]: ['v1', '1'] },
  { [`${HOOK}.failurePolicy`]: 'Ignore' },
  { [`${HOOK}.failurePolicy`]: 'Other' },
  { [`${HOOK}.matchPolicy`]: 'Exact' },
  { [`${HOOK}.matchPolicy`]: 'Other' },
  { [`${HOOK}.timeoutSeconds`]: 0 },
  { [`${HOOK}.timeoutSeconds`]: 1 },
  { [`${HOOK}.timeoutSeconds`]: 30 },
  { [`${HOOK}.timeoutSeconds`]: 31 },
  ...wrongSelectors.map((selector) => ({ [`${HOOK}.namespaceSelector`]: selector })),
  { [`${HOOK}.objectSelector`]: wrongSelectors[0] },
  { [`${HOOK}.clientConfig`]: undefined },
  { [`${HOOK}.clientConfig.url`]: 'https://a.b' },
  { [`${HOOK}.clientConfig`]: { url: 'https://a.b/c' } },
  { [`${HOOK}.clientConfig`]: { url: 'http://a.b/c' } },
  { [`${HOOK}.clientConfig`]: { url: 'https:///c' } },
  { [`${HOOK}.clientConfig`]: { url: 'a' } },
  { [`${HOOK}.clientConfig`]: { url: 'https://u:p@a.b/c' } },
  { [`${HOOK}.clientConfig`]: { url: 'https://a.b/c#d' } },
  { [`${HOOK}.clientConfig`]: { url: 'https://a.b/c?d=e' } },
  { [`${HOOK}.clientConfig`]: { url: 'https://a.b/c%zz#d' } },
  { [`${HOOK}.clientConfig`]: { url: 'https://a.b//c%2F/' } },
  { [`${HOOK}.clientConfig`]: { url: '' } },
  { [`${SERVICE}.name`]: undefined },
  { [`${SERVICE}.namespace`]: undefined },
  { [`${SERVICE}.port`]: 8443 },
  { [`${SERVICE}.port`]: 0 },
  { [`${SERVICE}.path`]: '/' },
  { [`${SERVICE}.path`]: '' },
  { [`${SERVICE}.path`]: '//' },
  { [`${SERVICE}.path`]: '/a/b/' },
  { [`${SERVICE}.path`]: 'a' },
  { [`${SERVICE}.path`]: '/a//b' },
  { [`${SERVICE}.path`]: '/a/B' },
  { [`${HOOK}.clientConfig.caBundle`]: 'YQ==' },
  { [`${HOOK}.rules`]: [] },
  ...ofRule(`${HOOK}.rules[0]`),
  ...ofConditions(`${HOOK}.matchConditions`),
];

const hook = {
  name: 'a.b.c',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { name: 's', namespace: 'n' } },
  rules: [rule],
};

function hooks(kind: string, collection: string, more: readonly Change[]): RuleCases {
  return {
    title: `${apiVersion} ${kind}`,
    collection: `${API}/${collection}`,
    base: { apiVersion, kind, metadata, webhooks: [hook] },
    creates: [...ofHooks, ...more],
    updates: [
      { [`${HOOK}.timeoutSeconds`]: 0 },
      { [`${HOOK}.timeoutSeconds`]: 5 },
      { [`${HOOK}.sideEffects`]: 'Some' },
      { [`${HOOK}.name`]: 'other.b.c' },
      { 'metadata.labels': { a: 'b' } },
      { webhooks: undefined },
    ],
  };
}

/** Changes of what an object matches, at a path. */
function ofMatches(path: string): readonly Change[] {
  return [
    { [`${path}.matchPolicy`]: 'Exact' },
    { [`${path}.matchPolicy`]: 'Other' },
    { [`${path}.namespaceSelector`]: wrongSelectors[0] },
    { [`${path}.objectSelector`]: wrongSelectors[2] },
    { [`${path}.resourceRules[0].resourceNames`]: ['a', 'a/b'] },
    { [`${path}.resourceRules[0].resourceNames`]: ['a', 'a'] },
    { [`${path}.excludeResourceRules`]: [{ ...rule, operations: [] }] },
    { [`${path}.excludeResourceRules`]: [rule] },
  ];
}

/** Changes of a reference to parameters. */
const ofParameters: readonly Change[] = [
  { 'spec.paramRef': {} },
  { 'spec.paramRef': { name: 'a', parameterNotFoundAction: 'Deny' } },
  { 'spec.paramRef': { name: 'a', namespace: 'b', parameterNotFoundAction: 'Allow' } },
  { 'spec.paramRef': { name: 'a/b', parameterNotFoundAction: 'Deny' } },
  { 'spec.paramRef': { name: 'a', parameterNotFoundAction: 'Other' } },
  { 'spec.paramRef': { name: 'a' } },
  { 'spec.paramRef': { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
  { 'spec.paramRef': { selector: {}, parameterNotFoundAction: 'Deny' } },
  { 'spec.paramRef': { selector: wrongSelectors[0], parameterNotFoundAction: 'Deny' } },
];

/** Changes that policies of both sorts have. */
const ofPolicies: readonly Change[] = [
  { spec: undefined },
  { 'spec.failurePolicy': 'Ignore' },
  { 'spec.failurePolicy': 'Other' },
  { 'spec.matchConstraints': undefined },
  { 'spec.matchConstraints.resourceRules': [] },
  ...ofMatches('spec.matchConstraints'),
  ...ofRule('spec.matchConstraints.resourceRules[0]'),
  ...ofConditions('spec.matchConditions'),
  { 'spec.paramKind': { apiVersion: 'v1', kind: 'ConfigMap' } },
  { 'spec.paramKind': {} },
  { 'spec.paramKind': { apiVersion: 'a/b/c', kind: 'ConfigMap' } },
  { 'spec.paramKind': { apiVersion: 'A/v1', kind: 'ConfigMap' } },
  { 'spec.paramKind': { apiVersion: 'a/', kind: 'ConfigMap' } },
  { 'spec.paramKind': { apiVersion: '/', kind: 'ConfigMap' } },
  { 'spec.paramKind': { apiVersion: '1', kind: 'ConfigMap' } },
  { 'spec.paramKind': { apiVersion: 'v1', kind: 'Config_Map' } },
  { 'spec.variables': [{ name: 'a', expression: 'true' }] },
  { 'spec.variables': [{ name: ' ', expression: 'true' }] },
  { 'spec.variables': [{ name: 'a-b', expression: 'true' }] },
  { 'spec.variables': [{ name: 'in', expression: 'true' }] },
  { 'spec.variables': [{ name: 'a', expression: ' ' }] },
];

const matchConstraints = { resourceRules: [rule] };

const validatingPolicy: RuleCases = {
  title: `${apiVersion} ValidatingAdmissionPolicy`,
  collection: `${API}/validatingadmissionpolicies`,
  base: {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
  },
  creates: [
    ...ofPolicies,
    { 'spec.validations': undefined },
    { 'spec.validations[0].expression': ' ' },
    { 'spec.validations[0].messageExpression': ' ' },
    { 'spec.validations[0].messageExpression': "'a'" },
    { 'spec.validations[0].message': ' ' },
    { 'spec.validations[0].message': 'a\nb' },
    { 'spec.validations[0].message': 'a' },
    { 'spec.validations[0].reason': 'Forbidden' },
    { 'spec.validations[0].reason': 'Other' },
    { 'spec.auditAnnotations': [{ key: 'a', valueExpression: "'a'" }] },
    { 'spec.auditAnnotations': [{ key: 'a b', valueExpression: "'a'" }] },
    { 'spec.auditAnnotations': [{ key: '', valueExpression: "'a'" }] },
    { 'spec.auditAnnotations': [{ key: 'a', valueExpression: '' }] },
    { 'spec.auditAnnotations': [{ key: 'a', valueExpression: `'${'x'.repeat(5119)}'` }] },
    { 'spec.auditAnnotations': [1, 2].map(() => ({ key: 'a', valueExpression: "'a'" })) },
    {
      'spec.validations': undefined,
      'spec.auditAnnotations': [{ key: 'a', valueExpression: "'a'" }],
    },
    {
      'spec.auditAnnotations': Array.from({ length: 21 }, (_none, at) => ({
        key: `a${at}`,
        valueExpression: "''",
      })),
    },
    { 'status.observedGeneration': 3 },
  ],
  updates: [
    { 'spec.failurePolicy': 'Ignore' },
    { 'spec.validations[0].expression': '' },
    { 'metadata.labels': { a: 'b' } },
    { 'spec.matchConditions': [{ name: 'a b', expression: 'true' }] },
  ],
  statuses: [
    { status: { observedGeneration: 1, typeChecking: {} } },
    { status: { typeChecking: { expressionWarnings: [{ fieldRef: 'spec.a', warning: 'a' }] } } },
    { status: { typeChecking: { expressionWarnings: [{}] } } },
    { status: { conditions: [{ type: 'A' }] } },
  ],
};

const mutatingPolicy: RuleCases = {
  title: `${apiVersion} MutatingAdmissionPolicy`,
  collection: `${API}/mutatingadmissionpolicies`,
  base: {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata,
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' },
        },
      ],
    },
  },
  creates: [
    ...ofPolicies,
    { 'spec.mutations': undefined },
    { 'spec.mutations[0].patchType': undefined },
    { 'spec.mutations[0].patchType': 'Other' },
    { 'spec.mutations[0].patchType': 'ApplyConfiguration' },
    { 'spec.mutations[0].jsonPatch': undefined },
    { 'spec.mutations[0].jsonPatch.expression': ' ' },
    { 'spec.mutations[0].applyConfiguration': { expression: 'Object{}' } },
    {
      'spec.mutations[0]': {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{}' },
      },
    },
    { 'spec.mutations[0]': { patchType: 'ApplyConfiguration', applyConfiguration: {} } },
    { 'spec.reinvocationPolicy': undefined },
    { 'spec.reinvocationPolicy': 'IfNeeded' },
    { 'spec.reinvocationPolicy': 'Other' },
  ],
  updates: [
    { 'spec.failurePolicy': 'Ignore' },
    { 'spec.mutations': [] },
    { 'metadata.labels': { a: 'b' } },
  ],
};

function binding(
  kind: string,
  collection: string,
  more: object,
  own: readonly Change[],
): RuleCases {
  return {
    title: `${apiVersion} ${kind}`,
    collection: `${API}/${collection}`,
    base: { apiVersion, kind, metadata, spec: { policyName: 'p', ...more } },
    creates: [
      { spec: undefined },
      { 'spec.policyName': undefined },
      { 'spec.policyName': 'A' },
      ...ofParameters,
      { 'spec.matchResources': {} },
      { 'spec.matchResources': matchConstraints },
      ...ofMatches('spec.matchResources').map((change) => ({
        'spec.matchResources': matchConstraints,
        ...change,
      })),
      { 'spec.matchResources': { resourceRules: [{ ...rule, operations: ['DELETE'] }] } },
      ...own,
    ],
    updates: [{ 'spec.policyName': 'other' }, { 'spec.policyName': '' }, { 'spec.paramRef': {} }],
  };
}

export const cases: readonly RuleCases[] = [
  hooks('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', []),
  hooks('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', [
    { [`${HOOK}.reinvocationPolicy`]: 'IfNeeded' },
    { [`${HOOK}.reinvocationPolicy`]: 'Other' },
  ]),
  validatingPolicy,
  mutatingPolicy,
  binding(
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    { validationActions: ['Deny'] },
    [
      { 'spec.validationActions': undefined },
      { 'spec.validationActions': ['Deny', 'Other'] },
      { 'spec.validationActions': ['Deny', 'Deny'] },
      { 'spec.validationActions': ['Deny', 'Warn'] },
      { 'spec.validationActions': ['Deny', 'Audit'] },
    ],
  ),
  binding('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', {}, []),
];
