import type { KubernetesObject } from '../../../../meta/object.ts';
import {
  defaultTo,
  ensureRecord,
  numberAt,
  recordAt,
  type JsonRecord,
} from '../../rules/json-value.ts';
import { readersOf, type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import type { StrategyOptions } from '../../contract/strategy.ts';
import { ageColumn, column, nameColumn, numberColumn } from '../../contract/table-columns.ts';
import { defaultPodTemplate } from '../pods/pod-defaults.ts';
import { containerColumns } from '../pods/pod-spec.ts';
import {
  readyColumn,
  selectorColumn,
  statusColumn,
  validateWorkload,
  validateWorkloadUpdate,
  workloadScale,
} from './workload.ts';

const APPS = { group: 'apps' } as const;

/** The strategy of a workload; `newStatus` is the status of a new one, `setSpecDefaults` sets the defaults of its spec. */
function workloadStrategy(
  newStatus: JsonRecord,
  setSpecDefaults: (spec: JsonRecord) => void,
): StrategyOptions {
  return {
    newStatus,
    setDefaults(object: MutableObject) {
      const spec = recordAt(object, 'spec');
      if (spec === undefined) return;
      setSpecDefaults(spec);
      defaultPodTemplate(spec);
    },
    validate: validateWorkload,
    validateUpdate: validateWorkloadUpdate,
  };
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

export const deployments: KindRules = {
  ...APPS,
  resource: 'deployments',
  strategy: workloadStrategy({}, (spec) => {
    defaultTo(spec, 'replicas', 1);
    defaultRollingUpdate(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' });
    defaultTo(spec, 'revisionHistoryLimit', 10);
    defaultTo(spec, 'progressDeadlineSeconds', 600);
  }),
  scale: workloadScale,
  cells: readersOf([
    nameColumn,
    readyColumn,
    statusColumn('Up-to-date', 'updatedReplicas'),
    statusColumn('Available', 'availableReplicas'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ]),
};

export const replicaSets: KindRules = {
  ...APPS,
  resource: 'replicasets',
  strategy: workloadStrategy({ replicas: 0 }, (spec) => {
    defaultTo(spec, 'replicas', 1);
  }),
  scale: workloadScale,
  selectableFields: { 'status.replicas': (set) => String(numberAt(set, 'status', 'replicas')) },
  cells: readersOf([
    nameColumn,
    numberColumn('Desired', ['spec', 'replicas']),
    statusColumn('Current', 'replicas'),
    statusColumn('Ready', 'readyReplicas'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ]),
};

export const statefulSets: KindRules = {
  ...APPS,
  resource: 'statefulsets',
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
  scale: workloadScale,
  cells: readersOf([nameColumn, readyColumn, ageColumn, ...containerColumns]),
};

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

export const daemonSets: KindRules = {
  ...APPS,
  resource: 'daemonsets',
  strategy: workloadStrategy(NO_DAEMONS, (spec) => {
    defaultRollingUpdate(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 });
    defaultTo(spec, 'revisionHistoryLimit', 10);
  }),
  cells: readersOf([
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
};
