import type { KubernetesObject } from '../../../meta/object.ts';
import {
  defaultTo,
  ensureRecord,
  numberAt,
  recordAt,
  type JsonRecord,
} from '../rules/json-value.ts';
import { defineKind, type KindDefinition } from '../contract/kind-definition.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { newStatusStrategy, newStrategy, type ResourceStrategy } from '../contract/strategy.ts';
import { ageColumn, column, nameColumn, numberColumn, tableOf } from '../contract/table-columns.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { containerColumns } from './pod-spec.ts';
import {
  readyColumn,
  selectorColumn,
  statusColumn,
  validateWorkload,
  validateWorkloadUpdate,
  workloadScale,
} from './workload.ts';

const APPS = { group: 'apps', version: 'v1', categories: ['all'] } as const;

/** The strategy of a workload; `newStatus` is the status of a new one, `setSpecDefaults` sets the defaults of its spec. */
function workloadStrategy(
  newStatus: JsonRecord,
  setSpecDefaults: (spec: JsonRecord) => void,
): ResourceStrategy {
  return newStrategy({
    generation: true,
    status: true,
    newStatus,
    setDefaults(object: MutableObject) {
      const spec = recordAt(object, 'spec');
      if (spec === undefined) return;
      setSpecDefaults(spec);
      defaultPodTemplate(spec);
    },
    validate: validateWorkload,
    validateUpdate: validateWorkloadUpdate,
  });
}

/** Sets the rolling-update parameters of an update strategy of type RollingUpdate, which is the default type. */
function defaultRollingUpdate(spec: JsonRecord, field: string, values: JsonRecord): void {
  const strategy = ensureRecord(spec, field);
  if (strategy === undefined || defaultTo(strategy, 'type', 'RollingUpdate') !== 'RollingUpdate') {
    return;
  }
  const rolling = ensureRecord(strategy, 'rollingUpdate');
  if (rolling === undefined) return;
  for (const [name, value] of Object.entries(values)) defaultTo(rolling, name, value);
}

export const deployments: KindDefinition = defineKind({
  ...APPS,
  kind: 'Deployment',
  resource: 'deployments',
  shortNames: ['deploy'],
  strategy: workloadStrategy({}, (spec) => {
    defaultTo(spec, 'replicas', 1);
    defaultRollingUpdate(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' });
    defaultTo(spec, 'revisionHistoryLimit', 10);
    defaultTo(spec, 'progressDeadlineSeconds', 600);
  }),
  statusStrategy: newStatusStrategy(),
  scale: workloadScale,
  table: tableOf([
    nameColumn,
    readyColumn,
    statusColumn('Up-to-date', 'updatedReplicas'),
    statusColumn('Available', 'availableReplicas'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ]),
});

export const replicaSets: KindDefinition = defineKind({
  ...APPS,
  kind: 'ReplicaSet',
  resource: 'replicasets',
  shortNames: ['rs'],
  strategy: workloadStrategy({ replicas: 0 }, (spec) => {
    defaultTo(spec, 'replicas', 1);
  }),
  statusStrategy: newStatusStrategy(),
  scale: workloadScale,
  selectableFields: { 'status.replicas': (set) => String(numberAt(set, 'status', 'replicas')) },
  table: tableOf([
    nameColumn,
    numberColumn('Desired', ['spec', 'replicas']),
    statusColumn('Current', 'replicas'),
    statusColumn('Ready', 'readyReplicas'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ]),
});

export const statefulSets: KindDefinition = defineKind({
  ...APPS,
  kind: 'StatefulSet',
  resource: 'statefulsets',
  shortNames: ['sts'],
  strategy: workloadStrategy({ replicas: 0, availableReplicas: 0 }, (spec) => {
    defaultTo(spec, 'replicas', 1);
    defaultTo(spec, 'podManagementPolicy', 'OrderedReady');
    defaultRollingUpdate(spec, 'updateStrategy', { partition: 0 });
    defaultTo(spec, 'revisionHistoryLimit', 10);
    const retention = ensureRecord(spec, 'persistentVolumeClaimRetentionPolicy');
    if (retention === undefined) return;
    defaultTo(retention, 'whenDeleted', 'Retain');
    defaultTo(retention, 'whenScaled', 'Retain');
  }),
  statusStrategy: newStatusStrategy(),
  scale: workloadScale,
  table: tableOf([nameColumn, readyColumn, ageColumn, ...containerColumns]),
});

function nodeSelectorCell(set: KubernetesObject): string {
  const selector = recordAt(set, 'spec', 'template', 'spec', 'nodeSelector') ?? {};
  const terms = Object.entries(selector).map(([key, value]) => `${key}=${String(value)}`);
  return terms.toSorted().join(',') || '<none>';
}

const NO_DAEMONS = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};

export const daemonSets: KindDefinition = defineKind({
  ...APPS,
  kind: 'DaemonSet',
  resource: 'daemonsets',
  shortNames: ['ds'],
  strategy: workloadStrategy(NO_DAEMONS, (spec) => {
    defaultRollingUpdate(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 });
    defaultTo(spec, 'revisionHistoryLimit', 10);
  }),
  statusStrategy: newStatusStrategy(),
  table: tableOf([
    nameColumn,
    statusColumn('Desired', 'desiredNumberScheduled'),
    statusColumn('Current', 'currentNumberScheduled'),
    statusColumn('Ready', 'numberReady'),
    statusColumn('Up-to-date', 'updatedNumberScheduled'),
    statusColumn('Available', 'numberAvailable'),
    column('Node Selector', nodeSelectorCell),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ]),
});
