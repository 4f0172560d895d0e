import { jsonEqual, valueAt } from '../../rules/json-value.ts';
import type { StrategyOptions } from '../../contract/strategy.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
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
};

export const statefulSets: KindRules = {
  ...APPS,
  resource: 'statefulsets',
  strategy: workloadStrategy,
  scale: workloadScale,
};

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** How often the template of a daemon set has changed: an annotation in this version, a field in older ones. */
function templateGeneration({ metadata }: MutableObject): number {
  return Math.trunc(Number(metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)) || 0;
}

function setTemplateGeneration({ metadata }: MutableObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: `${generation}` };
}

export const daemonSets: KindRules = {
  ...APPS,
  resource: 'daemonsets',
  strategy: {
    ...workloadStrategy,
    prepareForCreate(set) {
      setTemplateGeneration(set, Math.max(templateGeneration(set), 1));
    },
    prepareForUpdate(set, existing) {
      const isSame = jsonEqual(
        valueAt(set, 'spec', 'template'),
        valueAt(existing, 'spec', 'template'),
      );
      setTemplateGeneration(set, templateGeneration(existing) + (isSame ? 0 : 1));
    },
  },
};
