import { numberAt } from '../../rules/json-value.ts';
import type { StrategyOptions } from '../../contract/strategy.ts';
import type { KindRules } from '../contract/kind-rules.ts';
import { validateWorkload, validateWorkloadUpdate, workloadScale } from './workload.ts';

const APPS = { group: 'apps' } as const;

const workloadStrategy: StrategyOptions = {
  validate: validateWorkload,
  validateUpdate: validateWorkloadUpdate,
};

export const deployments: KindRules = {
  ...APPS,
  resource: 'deployments',
  strategy: workloadStrategy,
  scale: workloadScale,
};

export const replicaSets: KindRules = {
  ...APPS,
  resource: 'replicasets',
  strategy: workloadStrategy,
  scale: workloadScale,
  selectableFields: { 'status.replicas': (set) => String(numberAt(set, 'status', 'replicas')) },
};

export const statefulSets: KindRules = {
  ...APPS,
  resource: 'statefulsets',
  strategy: workloadStrategy,
  scale: workloadScale,
};

export const daemonSets: KindRules = {
  ...APPS,
  resource: 'daemonsets',
  strategy: workloadStrategy,
};
