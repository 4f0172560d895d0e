import type { KubernetesObject } from '../../meta/object.ts';
import { creationTime } from '../../server/registry/contract/table-columns.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { ageOf } from '../../server/registry/rules/duration.ts';
import { numberAt, recordAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import { ageCell, nameCell, namedRow, NONE, scalarOr, textOr, UNKNOWN } from './row-cells.ts';

/** Name and creation time: the cells of kinds without their own. */
export const plainCells: RowCells = (object) => [nameCell(object), creationTime(object)];

/** Name and age. */
export const nameAgeCells: RowCells = namedRow();

function entriesAt(object: KubernetesObject, field: string): number {
  return Object.keys(recordAt(object, field) ?? {}).length;
}

export const configMapCells: RowCells = namedRow((object) => [
  entriesAt(object, 'data') + entriesAt(object, 'binaryData'),
]);

export const secretCells: RowCells = namedRow((object) => [
  textAt(object, 'type'),
  entriesAt(object, 'data'),
]);

export const namespaceCells: RowCells = namedRow((object) => [textAt(object, 'status', 'phase')]);

export const leaseCells: RowCells = namedRow((object) => [
  textAt(object, 'spec', 'holderIdentity'),
]);

/** `requests.cpu: 1/2` for each resource of a quota; limits have a column of their own. */
export const resourceQuotaCells: RowCells = namedRow((quota) => {
  const hard = recordAt(quota, 'status', 'hard') ?? {};
  const requests: string[] = [];
  const limits: string[] = [];
  for (const name of Object.keys(hard).toSorted()) {
    const used = scalarOr('0', quota, 'status', 'used', name);
    const list = name.startsWith('limits.') ? limits : requests;
    list.push(`${name}: ${used}/${scalarOr('0', hard, name)}`);
  }
  return [requests.join(', '), limits.join(', ')];
});

export const priorityClassCells: RowCells = (object, nowMs) => [
  nameCell(object),
  numberAt(object, 'value'),
  valueAt(object, 'globalDefault') === true,
  ageCell(object, nowMs),
  textAt(object, 'preemptionPolicy'),
];

export const runtimeClassCells: RowCells = namedRow((object) => [textAt(object, 'handler')]);

export const componentStatusCells: RowCells = (object) => {
  const healthy = recordsAt(object, 'conditions').find((one) => one['type'] === 'Healthy');
  if (healthy === undefined) return [nameCell(object), 'Unknown', '', ''];
  const status = healthy['status'] === 'True' ? 'Healthy' : 'Unhealthy';
  return [nameCell(object), status, textAt(healthy, 'message'), textAt(healthy, 'error')];
};

/** The cells of an event, in the form of core/v1 or of events.k8s.io/v1. */
export const eventCells: RowCells = (event, nowMs) => {
  const time = (...path: readonly string[]): string => ageOf(valueAt(event, ...path), nowMs);
  const first = textAt(event, 'firstTimestamp') || textAt(event, 'deprecatedFirstTimestamp');
  const last = textAt(event, 'lastTimestamp') || textAt(event, 'deprecatedLastTimestamp');
  const series = recordAt(event, 'series');
  const firstSeen = first === '' ? time('eventTime') : ageOf(first, nowMs);
  const lastSeen = last === '' ? firstSeen : ageOf(last, nowMs);
  const count = numberAt(event, 'count') || numberAt(event, 'deprecatedCount');
  return [
    series === undefined ? lastSeen : time('series', 'lastObservedTime'),
    textAt(event, 'type'),
    textAt(event, 'reason'),
    involvedCell(event),
    textAt(involvedOf(event), 'fieldPath'),
    sourceCell(event),
    (textAt(event, 'message') || textAt(event, 'note')).trim(),
    firstSeen,
    series === undefined ? count || 1 : numberAt(series, 'count'),
    nameCell(event),
  ];
};

function involvedOf(event: KubernetesObject): unknown {
  return valueAt(event, 'involvedObject') ?? valueAt(event, 'regarding');
}

function involvedCell(event: KubernetesObject): string {
  const involved = involvedOf(event);
  const kind = textAt(involved, 'kind').toLowerCase();
  const name = textAt(involved, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceCell(event: KubernetesObject): string {
  const source = valueAt(event, 'source') ?? valueAt(event, 'deprecatedSource');
  const component =
    textAt(source, 'component') ||
    textAt(event, 'reportingComponent') ||
    textAt(event, 'reportingController');
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function nodeRoles(node: KubernetesObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(recordAt(node, 'metadata', 'labels') ?? {})) {
    if (key.startsWith(ROLE_LABEL_PREFIX)) roles.add(key.slice(ROLE_LABEL_PREFIX.length));
    else if (key === ROLE_LABEL) roles.add(String(value));
  }
  roles.delete('');
  return [...roles].toSorted().join(',') || NONE;
}

function nodeStatus(node: KubernetesObject): string {
  const ready = recordsAt(node, 'status', 'conditions').findLast((one) => one['type'] === 'Ready');
  const word = ready?.['status'] === 'True' ? 'Ready' : 'NotReady';
  const unschedulable = valueAt(node, 'spec', 'unschedulable') === true;
  return `${ready === undefined ? 'Unknown' : word}${unschedulable ? ',SchedulingDisabled' : ''}`;
}

export const nodeCells: RowCells = (node, nowMs) => {
  const info = recordAt(node, 'status', 'nodeInfo');
  const addressOf = (type: string): string => {
    const found = recordsAt(node, 'status', 'addresses').find((one) => one['type'] === type);
    return found === undefined ? NONE : textAt(found, 'address');
  };
  const architecture = textAt(info, 'architecture');
  return [
    nameCell(node),
    nodeStatus(node),
    nodeRoles(node),
    ageCell(node, nowMs),
    textAt(info, 'kubeletVersion'),
    addressOf('InternalIP'),
    addressOf('ExternalIP'),
    textOr(UNKNOWN, info, 'osImage'),
    `${textOr(UNKNOWN, info, 'kernelVersion')}${architecture === '' ? '' : ` (${architecture})`}`,
    textOr(UNKNOWN, info, 'containerRuntimeVersion'),
  ];
};

export const apiServiceCells: RowCells = (object, nowMs) => {
  const service = recordAt(object, 'spec', 'service');
  const available = recordsAt(object, 'status', 'conditions').find(
    (one) => one['type'] === 'Available',
  );
  const reason = textAt(available, 'reason');
  const status = textOr('Unknown', available, 'status');
  return [
    nameCell(object),
    service === undefined ? 'Local' : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`,
    status === 'True' || reason === '' ? status : `${status} (${reason})`,
    ageCell(object, nowMs),
  ];
};

export const storageVersionMigrationCells: RowCells = (object) => {
  const shown = ['Running', 'Failed', 'Succeeded'];
  const conditions = recordsAt(object, 'status', 'conditions').filter(
    (one) => one['status'] === 'True' && shown.includes(textAt(one, 'type')),
  );
  const group = textAt(object, 'spec', 'resource', 'group');
  const resource = textAt(object, 'spec', 'resource', 'resource');
  return [
    nameCell(object),
    group === '' ? resource : `${resource}.${group}`,
    textOr('Unknown', conditions.at(-1), 'type'),
  ];
};

export const priorityLevelCells: RowCells = namedRow((object) => {
  const limited = recordAt(object, 'spec', 'limited');
  const queuing = recordAt(limited, 'limitResponse', 'queuing');
  const queue = (field: string): string | number =>
    queuing === undefined ? NONE : numberAt(queuing, field);
  return [
    textAt(object, 'spec', 'type'),
    limited === undefined ? NONE : numberAt(limited, 'nominalConcurrencyShares'),
    queue('queues'),
    queue('handSize'),
    queue('queueLengthLimit'),
  ];
});

export const flowSchemaCells: RowCells = (object, nowMs) => {
  const dangling = recordsAt(object, 'status', 'conditions').find(
    (one) => one['type'] === 'Dangling',
  );
  return [
    nameCell(object),
    textAt(object, 'spec', 'priorityLevelConfiguration', 'name'),
    numberAt(object, 'spec', 'matchingPrecedence'),
    textOr(NONE, object, 'spec', 'distinguisherMethod', 'type'),
    ageCell(object, nowMs),
    dangling === undefined ? '?' : textAt(dangling, 'status'),
  ];
};
