import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { numberAt, valueAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';

/** Numbers that may not be negative, by their names in the order of the causes. */
export function counters(names: string): Check {
  return fields(Object.fromEntries(names.split(' ').map((name) => [name, nonNegative])));
}

/** Numbers of replicas that may not exceed `replicas`; the available ones may not exceed the ready ones. */
function countedReplicas(names: string, ready: string): Check {
  const counted = names.split(' ');
  return (status, path, report) => {
    const count = (name: string): number => numberAt(status, name);
    const tooMany = (name: string, what: string): void => {
      report.add(fieldInvalid(`${path}.${name}`, count(name), `cannot be greater than ${what}`));
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
  report.add(fieldInvalid(`${path}.collisionCount`, after, 'cannot be decremented'));
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
export const COUNTING_STATUS: Readonly<Record<string, Check>> = {
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
