import {
  defaultTo,
  ensureRecord,
  numberAt,
  recordAt,
  type JsonRecord,
} from '../../rules/json-value.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import type { StrategyOptions } from '../../contract/strategy.ts';
import { defaultPodTemplate } from '../pods/pod-defaults.ts';
import { validateWorkload, validateWorkloadUpdate, workloadScale } from './workload.ts';

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
};

export const replicaSets: KindRules = {
  ...APPS,
  resource: 'replicasets',
  strategy: workloadStrategy({ replicas: 0 }, (spec) => {
    defaultTo(spec, 'replicas', 1);
  }),
  scale: workloadScale,
  selectableFields: { 'status.replicas': (set) => String(numberAt(set, 'status', 'replicas')) },
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
};

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
};
