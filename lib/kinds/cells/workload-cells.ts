import { containerCells } from './row-cells.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { TableCell } from '../../server/registry/contract/table-columns.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { ageOf, humanDuration } from '../../server/registry/rules/duration.ts';
import {
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
} from '../../meta/json-value.ts';
import {
  ageCell,
  booleanCell,
  conditionHolds,
  isLeaving,
  labelsCell,
  lengthAt,
  nameCell,
  NONE,
  scalarOr,
  selectorCell,
  selectorText,
  textOr,
} from './row-cells.ts';

function podSpecOf(object: KubernetesObject): unknown {
  return valueAt(object, 'spec', 'template', 'spec');
}

function readyOfWanted(object: KubernetesObject): string {
  return `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`;
}

export const deploymentCells: RowCells = (object, nowMs) => [
  nameCell(object),
  readyOfWanted(object),
  numberAt(object, 'status', 'updatedReplicas'),
  numberAt(object, 'status', 'availableReplicas'),
  ageCell(object, nowMs),
  ...containerCells(podSpecOf(object)),
  selectorText(valueAt(object, 'spec', 'selector'), '<invalid>'),
];

function replicaCells(object: KubernetesObject, nowMs: number): readonly TableCell[] {
  return [
    nameCell(object),
    numberAt(object, 'spec', 'replicas'),
    numberAt(object, 'status', 'replicas'),
    numberAt(object, 'status', 'readyReplicas'),
    ageCell(object, nowMs),
    ...containerCells(podSpecOf(object)),
  ];
}

export const replicaSetCells: RowCells = (object, nowMs) => [
  ...replicaCells(object, nowMs),
  selectorCell(valueAt(object, 'spec', 'selector')),
];

export const replicationControllerCells: RowCells = (object, nowMs) => [
  ...replicaCells(object, nowMs),
  labelsCell(valueAt(object, 'spec', 'selector')),
];

export const statefulSetCells: RowCells = (object, nowMs) => [
  nameCell(object),
  readyOfWanted(object),
  ageCell(object, nowMs),
  ...containerCells(podSpecOf(object)),
];

export const daemonSetCells: RowCells = (object, nowMs) => [
  nameCell(object),
  numberAt(object, 'status', 'desiredNumberScheduled'),
  numberAt(object, 'status', 'currentNumberScheduled'),
  numberAt(object, 'status', 'numberReady'),
  numberAt(object, 'status', 'updatedNumberScheduled'),
  numberAt(object, 'status', 'numberAvailable'),
  labelsCell(valueAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
  ageCell(object, nowMs),
  ...containerCells(podSpecOf(object)),
  selectorCell(valueAt(object, 'spec', 'selector')),
];

const ENDED = ['Complete', 'Failed'];
const CONDITIONS_SHOWN = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(job: KubernetesObject): string {
  const holds = (type: string): boolean => conditionHolds(job, type);
  const ended = ENDED.find(holds);
  if (ended !== undefined) return ended;
  return isLeaving(job) ? 'Terminating' : (CONDITIONS_SHOWN.find(holds) ?? 'Running');
}

function jobCompletions(job: KubernetesObject): string {
  const succeeded = numberAt(job, 'status', 'succeeded');
  const completions = valueAt(job, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubernetesObject, nowMs: number): string {
  const started = textAt(job, 'status', 'startTime');
  if (started === '') return '';
  const completed = textAt(job, 'status', 'completionTime');
  const endMs = completed === '' ? nowMs : Date.parse(completed);
  return humanDuration(endMs - Date.parse(started));
}

export const jobCells: RowCells = (job, nowMs) => [
  nameCell(job),
  jobStatus(job),
  jobCompletions(job),
  jobDuration(job, nowMs),
  ageCell(job, nowMs),
  ...containerCells(podSpecOf(job)),
  selectorCell(valueAt(job, 'spec', 'selector')),
];

export const cronJobCells: RowCells = (object, nowMs) => {
  const job = recordAt(object, 'spec', 'jobTemplate', 'spec');
  const last = valueAt(object, 'status', 'lastScheduleTime');
  return [
    nameCell(object),
    textAt(object, 'spec', 'schedule'),
    scalarOr(NONE, object, 'spec', 'timeZone'),
    booleanCell(valueAt(object, 'spec', 'suspend')),
    lengthAt(object, 'status', 'active'),
    typeof last === 'string' ? ageOf(last, nowMs) : NONE,
    ageCell(object, nowMs),
    ...containerCells(valueAt(job, 'template', 'spec')),
    selectorCell(job?.['selector']),
  ];
};

export const podTemplateCells: RowCells = (object) => [
  nameCell(object),
  ...containerCells(valueAt(object, 'template', 'spec')),
  labelsCell(valueAt(object, 'template', 'metadata', 'labels')),
];

/** The controller of a revision as `kind.group/name`. */
export const controllerRevisionCells: RowCells = (object, nowMs) => {
  const owner = recordsAt(object, 'metadata', 'ownerReferences').find(
    (one) => one['controller'] === true,
  );
  return [
    nameCell(object),
    isRecord(owner) ? ownerCell(owner) : NONE,
    numberAt(object, 'revision'),
    ageCell(object, nowMs),
  ];
};

function ownerCell(owner: Record<string, unknown>): string {
  const [group] = textOr('', owner, 'apiVersion').split('/');
  const kind = textAt(owner, 'kind');
  const grouped = textAt(owner, 'apiVersion').includes('/') ? `${kind}.${group}` : kind;
  const name = textAt(owner, 'name');
  return grouped === '' ? name : `${grouped.toLowerCase()}/${name}`;
}

export const podDisruptionBudgetCells: RowCells = (object, nowMs) => [
  nameCell(object),
  scalarOr('N/A', object, 'spec', 'minAvailable'),
  scalarOr('N/A', object, 'spec', 'maxUnavailable'),
  numberAt(object, 'status', 'disruptionsAllowed'),
  ageCell(object, nowMs),
];
