import {
  containerCells,
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
  namedRow,
  UNKNOWN,
  UNSET,
} from './row-cells.ts';
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
  type JsonRecord,
} from '../../meta/json-value.ts';

function claimState(claim: KubernetesObject): string {
  const states = isLeaving(claim) ? ['deleted'] : [];
  if (recordAt(claim, 'status', 'allocation') !== undefined) {
    states.push('allocated');
    if (lengthAt(claim, 'status', 'reservedFor') > 0) states.push('reserved');
  } else if (!isLeaving(claim)) {
    states.push('pending');
  }
  return states.join(',');
}

export const resourceClaimCells: RowCells = namedRow((claim) => [claimState(claim)]);

export const resourceSliceCells: RowCells = namedRow((slice) => [
  textAt(slice, 'spec', 'nodeName'),
  textAt(slice, 'spec', 'driver'),
  textAt(slice, 'spec', 'pool', 'name'),
]);

export const deviceTaintRuleCells: RowCells = namedRow((rule, nowMs) => {
  const taint = recordAt(rule, 'spec', 'taint');
  const added = valueAt(taint, 'timeAdded');
  return [
    textAt(taint, 'key'),
    textAt(taint, 'value'),
    textAt(taint, 'effect'),
    added === undefined ? '' : ageOf(added, nowMs),
  ];
});

/** The member of a metric that carries its source, by type. */
const SOURCES: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};
const MOST_METRICS = 2;

/** A quantity of a status or target; `<nil>` for one that lacks it. */
function quantity(value: JsonRecord | undefined, field: string): string {
  return value === undefined ? UNKNOWN : scalarOr('<nil>', value, field);
}

function percentage(value: unknown, missing: string): string {
  return typeof value === 'number' ? `${value}%` : missing;
}

function resourceMetric(source: JsonRecord, current: JsonRecord | undefined): string {
  const target = recordAt(source, 'target');
  const name = textAt(source, 'name');
  if (valueAt(target, 'averageValue') !== undefined) {
    const wanted = quantity(target, 'averageValue');
    return `${name}: ${quantity(current, 'averageValue')}/${wanted}`;
  }
  const wanted = percentage(valueAt(target, 'averageUtilization'), '<auto>');
  return `${name}: ${percentage(valueAt(current, 'averageUtilization'), UNKNOWN)}/${wanted}`;
}

/** A metric and its target: `cpu: 20%/80%`, `500m/1 (avg)`. */
function metricCell(spec: JsonRecord, status: JsonRecord | undefined): string {
  const type = textAt(spec, 'type');
  const member = SOURCES[type];
  if (member === undefined) return '<unknown type>';
  const source = recordAt(spec, member) ?? {};
  const current = recordAt(status, member, 'current');
  if (member === 'resource' || member === 'containerResource') {
    return resourceMetric(source, current);
  }
  const target = recordAt(source, 'target');
  if (member === 'pods') {
    return `${quantity(current, 'averageValue')}/${quantity(target, 'averageValue')}`;
  }
  if (valueAt(target, 'averageValue') !== undefined) {
    const average = scalarOr(UNKNOWN, current, 'averageValue');
    return `${average}/${quantity(target, 'averageValue')} (avg)`;
  }
  return `${quantity(current, 'value')}/${quantity(target, 'value')}`;
}

function metricsCell(autoscaler: KubernetesObject): string {
  const specs = recordsAt(autoscaler, 'spec', 'metrics');
  if (specs.length === 0) return NONE;
  const statuses = recordsAt(autoscaler, 'status', 'currentMetrics');
  const cells = specs.map((spec, index) => metricCell(spec, statuses[index]));
  const shown = cells.slice(0, MOST_METRICS).join(', ');
  const more = cells.length - MOST_METRICS;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

/** Of a HorizontalPodAutoscaler in the form of autoscaling/v2, which is the stored one. */
export const horizontalPodAutoscalerCells: RowCells = namedRow((object) => {
  const target = recordAt(object, 'spec', 'scaleTargetRef');
  return [
    `${textAt(target, 'kind')}/${textAt(target, 'name')}`,
    metricsCell(object),
    scalarOr(UNSET, object, 'spec', 'minReplicas'),
    numberAt(object, 'spec', 'maxReplicas'),
    numberAt(object, 'status', 'currentReplicas'),
  ];
});

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
