import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const meta = { name: 'base' };
const APPS = '/apis/apps/v1/namespaces/{ns}';
const labels = { a: 'b' };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const spec = { selector: { matchLabels: labels }, template };
const LONG = 'x'.repeat(64);

/** Of a label selector and the labels of the template. */
const selectors: readonly Change[] = [
  { 'spec.selector': undefined },
  { 'spec.selector': {} },
  { 'spec.selector.matchLabels': { a: 'c' } },
  { 'spec.selector.matchLabels': { a: '-' } },
  { 'spec.selector.matchLabels': { a: LONG } },
  { 'spec.selector.matchLabels': { 'a/b/c': 'b' } },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'In', values: ['c', 'b'] }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'In', values: ['c'] }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'In' }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'In', values: ['-'] }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'Exists', values: ['b'] }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'Exists' }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'DoesNotExist' }] },
  { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'Gt', values: ['1'] }] },
  { 'spec.selector.matchExpressions': [{ key: '', operator: 'Exists' }] },
  { 'spec.template.metadata': undefined },
  { 'spec.template.metadata.labels': { a: 'c', 0: 'd', A: 'e' } },
  { 'spec.template.metadata.labels': { a: 'b', c: '-' } },
];

const templates: readonly Change[] = [
  { 'spec.template': undefined, 'spec.selector': { matchLabels: { a: 'b' } } },
  { 'spec.template.spec.containers': [] },
  { 'spec.template.spec.restartPolicy': 'Never' },
  { 'spec.template.spec.restartPolicy': 'Other' },
  { 'spec.template.spec.restartPolicy': 'Always' },
  { 'spec.template.spec.activeDeadlineSeconds': 3 },
  { 'metadata.name': 'with.dot' },
  { 'metadata.generateName': 'gen-', 'metadata.name': undefined },
  { 'metadata.generation': 9 },
  { 'spec.template.metadata.annotations': { 'a b': 'c' } },
  { 'spec.template.spec.containers[0].ports': [{ containerPort: 0 }] },
  {
    'spec.template.spec.containers[0].env': [
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
    ],
  },
  { status: { replicas: 3 } },
];

const INT_OR_PERCENT = [-1, 0, 2, '0%', '100%', '101%', '5', 'x%', '-5%', ''];

const counters = (...names: readonly string[]): readonly Change[] =>
  names.flatMap((name) => [{ [`status.${name}`]: -1 }, { [`status.${name}`]: 2 }]);

const metadataOfStatus: readonly Change[] = [
  { 'metadata.labels': { x: 'y' } },
  { 'metadata.annotations': { x: 'y' } },
  { 'spec.minReadySeconds': 4 },
];

const commonUpdates: readonly Change[] = [
  { 'spec.selector.matchLabels': { a: 'c' } },
  { 'spec.selector.matchLabels': { a: 'c' }, 'spec.template.metadata.labels': { a: 'c' } },
  { 'spec.template.spec.containers[0].image': 'j' },
  { 'spec.template.spec.restartPolicy': 'Never' },
  { 'spec.minReadySeconds': 2 },
  { 'spec.minReadySeconds': -2 },
  { 'metadata.labels': { x: 'y' } },
  { 'metadata.annotations': { x: 'y' } },
  { 'status.observedGeneration': 5 },
];

const deployment: RuleCases = {
  title: 'apps/v1 Deployment',
  collection: `${APPS}/deployments`,
  base: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta, spec },
  creates: [
    { spec: undefined },
    ...selectors,
    ...templates,
    { 'spec.replicas': -1 },
    { 'spec.replicas': 0 },
    { 'spec.minReadySeconds': -1 },
    { 'spec.minReadySeconds': 600 },
    { 'spec.minReadySeconds': 599 },
    { 'spec.revisionHistoryLimit': -1 },
    { 'spec.revisionHistoryLimit': 0 },
    { 'spec.progressDeadlineSeconds': -1 },
    { 'spec.progressDeadlineSeconds': 0 },
    { 'spec.progressDeadlineSeconds': 1 },
    { 'spec.paused': true },
    { 'spec.strategy': {} },
    { 'spec.strategy.type': 'Recreate' },
    { 'spec.strategy': { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
    { 'spec.strategy.type': 'Other' },
    { 'spec.strategy': { type: 'Other', rollingUpdate: { maxSurge: 1 } } },
    { 'spec.strategy.rollingUpdate': {} },
    ...INT_OR_PERCENT.map((value) => ({ 'spec.strategy.rollingUpdate.maxUnavailable': value })),
    ...INT_OR_PERCENT.map((value) => ({ 'spec.strategy.rollingUpdate.maxSurge': value })),
    { 'spec.strategy.rollingUpdate': { maxUnavailable: 0, maxSurge: 0 } },
    { 'spec.strategy.rollingUpdate': { maxUnavailable: '0%', maxSurge: 0 } },
    { 'spec.strategy.rollingUpdate': { maxUnavailable: 0, maxSurge: 1 } },
  ],
  updates: [
    ...commonUpdates,
    { 'spec.replicas': 3 },
    { 'spec.replicas': -3 },
    { 'spec.replicas': undefined },
    { 'spec.selector': undefined },
    { 'spec.strategy': { type: 'Recreate' } },
    { 'spec.strategy.type': 'Recreate' },
    { 'spec.revisionHistoryLimit': -1 },
    { 'spec.progressDeadlineSeconds': undefined },
    { 'metadata.name': 'with.dot' },
  ],
  statuses: [
    ...counters(
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ),
    { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
    { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 } },
    ...metadataOfStatus,
  ],
};

const replicaSet: RuleCases = {
  title: 'apps/v1 ReplicaSet',
  collection: `${APPS}/replicasets`,
  base: { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: meta, spec },
  creates: [
    { spec: undefined },
    ...selectors,
    ...templates,
    { 'spec.replicas': -1 },
    { 'spec.replicas': 0 },
    { 'spec.minReadySeconds': -1 },
  ],
  updates: [...commonUpdates, { 'spec.replicas': 3 }, { 'spec.replicas': -3 }],
  statuses: [
    ...counters(
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ),
    { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
    ...metadataOfStatus,
  ],
};

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const statefulSet: RuleCases = {
  title: 'apps/v1 StatefulSet',
  collection: `${APPS}/statefulsets`,
  base: {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta,
    spec: { ...spec, serviceName: 's' },
  },
  creates: [
    { spec: undefined },
    ...selectors,
    ...templates,
    { 'spec.replicas': -1 },
    { 'spec.replicas': 0 },
    { 'spec.minReadySeconds': -1 },
    { 'spec.revisionHistoryLimit': -1 },
    { 'spec.podManagementPolicy': 'Parallel' },
    { 'spec.podManagementPolicy': 'Other' },
    { 'spec.podManagementPolicy': '' },
    { 'spec.serviceName': undefined },
    { 'spec.serviceName': 'with.dot' },
    { 'spec.serviceName': LONG },
    { 'spec.ordinals': {} },
    { 'spec.ordinals.start': 3 },
    { 'spec.ordinals.start': -1 },
    { 'spec.updateStrategy': {} },
    { 'spec.updateStrategy.type': 'OnDelete' },
    { 'spec.updateStrategy.type': 'RollingUpdate' },
    { 'spec.updateStrategy.type': 'Other' },
    { 'spec.updateStrategy': { type: 'Other', rollingUpdate: { partition: 1 } } },
    { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: {} } },
    { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
    { 'spec.updateStrategy.rollingUpdate.partition': 1 },
    { 'spec.updateStrategy.rollingUpdate.partition': -1 },
    { 'spec.updateStrategy.rollingUpdate.maxUnavailable': 2 },
    { 'spec.updateStrategy.rollingUpdate.maxUnavailable': 0 },
    { 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Delete' },
    { 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Other' },
    { 'spec.persistentVolumeClaimRetentionPolicy.whenScaled': 'Other' },
    { 'spec.template.spec.subdomain': 'Wrong' },
    { 'spec.template.spec.hostname': 'Wrong' },
    { 'spec.volumeClaimTemplates': [claim] },
    {
      'spec.volumeClaimTemplates': [claim],
      'spec.template.spec.containers[0].volumeMounts': [{ name: 'data', mountPath: '/d' }],
    },
    {
      'spec.volumeClaimTemplates': [claim],
      'spec.template.spec.volumes': [{ name: 'data', emptyDir: {} }, { name: 'other' }],
    },
    { 'spec.template.spec.containers[0].volumeMounts': [{ name: 'data', mountPath: '/d' }] },
    { 'spec.volumeClaimTemplates': [{ metadata: { name: 'data' } }] },
    { 'spec.volumeClaimTemplates': [claim], 'spec.volumeClaimTemplates[0].spec.resources': {} },
    {
      'spec.volumeClaimTemplates': [claim],
      'spec.volumeClaimTemplates[0].spec.accessModes': ['Other'],
    },
    {
      'spec.volumeClaimTemplates': [claim],
      'spec.volumeClaimTemplates[0].spec.resources.requests.storage': '100m',
    },
  ],
  updates: [
    ...commonUpdates,
    { 'spec.replicas': 3 },
    { 'spec.replicas': -3 },
    { 'spec.selector': undefined },
    { 'spec.serviceName': 't' },
    { 'spec.serviceName': 'with.dot' },
    { 'spec.podManagementPolicy': 'Parallel' },
    { 'spec.volumeClaimTemplates': [claim] },
    { 'spec.ordinals': { start: 1 } },
    { 'spec.ordinals': { start: -1 } },
    { 'spec.updateStrategy': { type: 'OnDelete' } },
    { 'spec.updateStrategy.type': 'OnDelete' },
    { 'spec.updateStrategy.rollingUpdate.partition': 1 },
    { 'spec.persistentVolumeClaimRetentionPolicy.whenScaled': 'Delete' },
    { 'spec.revisionHistoryLimit': -2 },
    { 'spec.revisionHistoryLimit': 2 },
    { 'spec.template.spec.containers': [] },
    { 'spec.template.metadata.labels': { a: 'b', c: '-' } },
  ],
  statuses: [
    ...counters(
      'observedGeneration',
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'collisionCount',
    ),
    { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
    { status: { replicas: 2, currentRevision: 'x' } },
    ...metadataOfStatus,
  ],
};

const daemonSet: RuleCases = {
  title: 'apps/v1 DaemonSet',
  collection: `${APPS}/daemonsets`,
  base: { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: meta, spec },
  creates: [
    { spec: undefined },
    ...selectors,
    ...templates,
    { 'spec.minReadySeconds': -1 },
    { 'spec.revisionHistoryLimit': -1 },
    { 'spec.updateStrategy.type': 'OnDelete' },
    { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: { maxSurge: -1 } } },
    { 'spec.updateStrategy.type': 'Other' },
    { 'spec.updateStrategy': { type: 'Other', rollingUpdate: { maxSurge: 1 } } },
    ...INT_OR_PERCENT.map((value) => ({
      'spec.updateStrategy.rollingUpdate': { maxUnavailable: value },
    })),
    ...INT_OR_PERCENT.map((value) => ({
      'spec.updateStrategy.rollingUpdate': { maxUnavailable: 0, maxSurge: value },
    })),
    { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 1, maxSurge: 1 } },
    { 'metadata.annotations': { 'deprecated.daemonset.template.generation': '7' } },
    { 'metadata.annotations': { 'deprecated.daemonset.template.generation': '-7' } },
    { 'metadata.annotations': { 'deprecated.daemonset.template.generation': 'x' } },
  ],
  updates: [
    ...commonUpdates,
    { 'spec.selector': undefined },
    { 'spec.updateStrategy': { type: 'OnDelete' } },
    { 'spec.updateStrategy.rollingUpdate.maxSurge': 1 },
    { 'metadata.annotations': { 'deprecated.daemonset.template.generation': '7' } },
    { 'metadata.annotations': undefined },
    { 'metadata.annotations': { a: 'b' } },
  ],
  statuses: [
    ...counters(
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ),
    ...metadataOfStatus,
  ],
};

const controller: RuleCases = {
  title: 'v1 ReplicationController',
  collection: '/api/v1/namespaces/{ns}/replicationcontrollers',
  base: {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: meta,
    spec: { selector: labels, template },
  },
  creates: [
    { spec: undefined },
    { 'spec.selector': undefined },
    { 'spec.selector': {} },
    { 'spec.selector': { a: 'c' } },
    { 'spec.selector': { a: '-' } },
    { 'spec.selector': undefined, 'spec.template.metadata.labels': undefined },
    { 'spec.template.metadata.labels': { a: 'c', 0: 'd' } },
    ...templates.filter((change) => !Object.hasOwn(change, 'spec.selector')),
    { 'spec.template': undefined },
    { 'spec.replicas': -1 },
    { 'spec.replicas': 0 },
    { 'spec.minReadySeconds': -1 },
    { 'metadata.labels': { x: 'y' } },
  ],
  updates: [
    { 'spec.selector': { a: 'c' } },
    { 'spec.selector': { a: 'c' }, 'spec.template.metadata.labels': { a: 'c' } },
    { 'spec.selector': undefined },
    { 'spec.replicas': 3 },
    { 'spec.replicas': -3 },
    { 'spec.minReadySeconds': -2 },
    { 'spec.minReadySeconds': 2 },
    { 'spec.template.spec.containers[0].image': 'j' },
    { 'spec.template.spec.restartPolicy': 'Never' },
    { 'metadata.annotations': { x: 'y' } },
    { 'status.observedGeneration': 5 },
  ],
  statuses: [
    ...counters(
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
    ),
    { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
    ...metadataOfStatus,
  ],
};

export const cases: readonly RuleCases[] = [
  deployment,
  replicaSet,
  statefulSet,
  daemonSet,
  controller,
];
