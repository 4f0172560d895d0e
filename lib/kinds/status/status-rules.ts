import { newStatusStrategy, type UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import { recordAt, setOwn, numberAt, valueAt } from '../../meta/json-value.ts';
import type { MutableMetadata } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { fields, all } from '../../server/registry/validation/combine.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';

/** Numbers that may not be negative, by their names in the order of the causes. */
function counters(names: string): Check {
  return fields(Object.fromEntries(names.split(' ').map((name) => [name, nonNegative])));
}

/** Numbers of replicas that may not exceed `replicas`; the available ones may not exceed the ready ones. */
function countedReplicas(names: string, ready: string): Check {
  const counted = names.split(' ');
  return (status, path, report) => {
    const count = (name: string): number => numberAt(status, name);
    const tooMany = (name: string, what: string): void => {
      report.invalid(`${path}.${name}`, count(name), `cannot be greater than ${what}`);
    };
    for (const name of counted)
      if (count(name) > count('replicas')) tooMany(name, 'status.replicas');
    if (count('availableReplicas') > count('readyReplicas')) tooMany('availableReplicas', ready);
  };
}

/** The count of collisions of names only grows. */
const collisions: Check = (status, path, report, old) => {
  if (valueAt(old, 'collisionCount') === undefined) return;
  const [before, after] = [numberAt(old, 'collisionCount'), numberAt(status, 'collisionCount')];
  if (valueAt(status, 'collisionCount') !== undefined && after >= before) return;
  report.invalid(`${path}.collisionCount`, after, 'cannot be decremented');
};

const ofStatus = (...checks: readonly Check[]): Check => fields({ status: all(...checks) });

const replicaSet = ofStatus(
  counters(
    'replicas fullyLabeledReplicas readyReplicas availableReplicas observedGeneration terminatingReplicas',
  ),
  countedReplicas('fullyLabeledReplicas readyReplicas availableReplicas', 'readyReplicas'),
);

/**
 * The rules of the status of kinds that count.
 * @see pkg/apis/{apps,core,autoscaling}/validation/validation.go @ v1.36.3
 */
const COUNTING_STATUS: Readonly<Record<string, Check>> = {
  'apps/deployments': ofStatus(
    counters(
      'observedGeneration replicas updatedReplicas readyReplicas availableReplicas unavailableReplicas terminatingReplicas collisionCount',
    ),
    countedReplicas('updatedReplicas readyReplicas availableReplicas', 'readyReplicas'),
    collisions,
  ),
  'apps/replicasets': replicaSet,
  '/replicationcontrollers': replicaSet,
  'apps/statefulsets': ofStatus(
    counters(
      'replicas readyReplicas currentReplicas updatedReplicas availableReplicas observedGeneration collisionCount',
    ),
    countedReplicas(
      'readyReplicas currentReplicas updatedReplicas availableReplicas',
      'status.readyReplicas',
    ),
    collisions,
  ),
  'apps/daemonsets': ofStatus(
    counters(
      'currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount',
    ),
    collisions,
  ),
  'autoscaling/horizontalpodautoscalers': ofStatus(counters('currentReplicas desiredReplicas')),
};

type MetadataField = keyof MutableMetadata & string;

const ALL: readonly MetadataField[] = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** The metadata that an update through `status` does not change; of other kinds it may change all. */
const RESTORED: Readonly<Record<string, readonly MetadataField[]>> = {
  'admissionregistration.k8s.io/validatingadmissionpolicies': ALL,
  'apiextensions.k8s.io/customresourcedefinitions': ALL,
  'apiregistration.k8s.io/apiservices': ALL,
  'apps/deployments': ['labels'],
  'networking.k8s.io/servicecidrs': ALL,
  '/pods': ['ownerReferences'],
  'resource.k8s.io/resourceclaims': ALL,
  'storage.k8s.io/csinodes': ALL,
  'storage.k8s.io/volumeattachments': ALL,
};

const budgetStatus: Check = fields({
  status: fields({
    conditions: conditionsCheck,
    disruptionsAllowed: nonNegative,
    currentHealthy: nonNegative,
    desiredHealthy: nonNegative,
    expectedPods: nonNegative,
  }),
});

type Validate = UpdateStrategy['validateUpdate'];

const VALIDATED: Readonly<Record<string, Validate>> = {
  'policy/poddisruptionbudgets': (object) => causesOf(budgetStatus, object),
};

function validationOf(name: string): Validate | undefined {
  const check = COUNTING_STATUS[name];
  return check === undefined
    ? VALIDATED[name]
    : (object, existing, policy) => causesOf(check, object, existing, policy);
}

/**
 * The strategy of the `status` of a built-in kind without a strategy of its own.
 * @see kubernetes pkg/registry strategy.go of each resource @ 1.36.3
 */
export function statusStrategyOf(group: string, resource: string): UpdateStrategy {
  const name = `${group}/${resource}`;
  const restored = RESTORED[name] ?? [];
  const base = newStatusStrategy({
    validateUpdate: validationOf(name),
    labelsOfTemplate: name === '/replicationcontrollers',
  });
  if (restored.length === 0) return base;
  return {
    ...base,
    prepareForUpdate(object, existing, context) {
      base.prepareForUpdate(object, existing, context);
      for (const field of restored) {
        if (existing.metadata[field] === undefined) delete object.metadata[field];
        else setOwn(object.metadata, field, existing.metadata[field]);
      }
    },
  };
}

const LABELLED_BY_TEMPLATE: ReadonlySet<string> = new Set([
  '/replicationcontrollers',
  'batch/jobs',
]);

/**
 * An object of some kinds without labels gets those of its template whenever it is read from the storage, so that an update through
 * `status` cannot leave them out.
 * @see pkg/apis/batch/v1/defaults.go SetDefaults_Job @ v1.36.3
 */
export function labelledByTemplate(
  group: string,
  resource: string,
  strategy: UpdateStrategy,
): UpdateStrategy {
  if (!LABELLED_BY_TEMPLATE.has(`${group}/${resource}`)) return strategy;
  return {
    ...strategy,
    prepareForUpdate(object, existing, context) {
      strategy.prepareForUpdate(object, existing, context);
      const labels = recordAt(object, 'spec', 'template', 'metadata', 'labels');
      if (labels === undefined || Object.keys(object.metadata.labels ?? {}).length > 0) return;
      setOwn(object.metadata, 'labels', { ...labels });
    },
  };
}
