import type { KubernetesObject } from '../../../../meta/object.ts';
import { ageOf } from '../../rules/duration.ts';
import {
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../rules/json-value.ts';
import { ageColumn, nameColumn, type TableCell } from '../../contract/table-columns.ts';

const NONE = '<none>';

/** The columns about containers in `kubectl get pods`. */
interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: string;
}

interface Tally {
  ready: number;
  restarts: number;
  /** The time of the latest restart, RFC 3339. */
  lastRestart: string;
}

/** Init containers that keep running beside the main containers. */
function sidecars(pod: KubernetesObject): Set<string> {
  const names = recordsAt(pod, 'spec', 'initContainers')
    .filter((one) => textAt(one, 'restartPolicy') === 'Always')
    .map((one) => textAt(one, 'name'));
  return new Set(names);
}

function countRestarts(tally: Tally, container: JsonRecord): void {
  tally.restarts += numberAt(container, 'restartCount');
  const finished = textAt(container, 'lastState', 'terminated', 'finishedAt');
  if (finished > tally.lastRestart) tally.lastRestart = finished;
}

/** Why a container terminated, e.g. `Error`, `Signal:9` or `ExitCode:3`. */
function endOf(terminated: JsonRecord): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

/** The state of the first init container that is not done; undefined when all are done. */
function initStatus(
  pod: KubernetesObject,
  running: ReadonlySet<string>,
  tally: Tally,
): string | undefined {
  const statuses = recordsAt(pod, 'status', 'initContainerStatuses');
  for (const [index, container] of statuses.entries()) {
    countRestarts(tally, container);
    const terminated = recordAt(container, 'state', 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (running.has(textAt(container, 'name')) && container['started'] === true) {
      if (container['ready'] === true) tally.ready += 1;
      continue;
    }
    if (terminated !== undefined) return `Init:${endOf(terminated)}`;
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
    return `Init:${index}/${recordsAt(pod, 'spec', 'initContainers').length}`;
  }
  return undefined;
}

/** The state of the first container with a reason. */
function containerStatus(pod: KubernetesObject, phase: string, tally: Tally): string {
  let status = phase;
  let anyRunning = false;
  for (const container of recordsAt(pod, 'status', 'containerStatuses').toReversed()) {
    countRestarts(tally, container);
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    const terminated = recordAt(container, 'state', 'terminated');
    if (waiting !== '') status = waiting;
    else if (terminated !== undefined) status = endOf(terminated);
    else if (container['ready'] === true && isRecord(valueAt(container, 'state', 'running'))) {
      anyRunning = true;
      tally.ready += 1;
    }
  }
  if (status !== 'Completed' || !anyRunning) return status;
  return hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

function hasCondition(pod: KubernetesObject, type: string): boolean {
  const conditions = recordsAt(pod, 'status', 'conditions');
  return conditions.some((one) => one['type'] === type && one['status'] === 'True');
}

function isGated(pod: KubernetesObject): boolean {
  return recordsAt(pod, 'status', 'conditions').some(
    (one) => one['type'] === 'PodScheduled' && one['reason'] === 'SchedulingGated',
  );
}

function leavingStatus(pod: KubernetesObject, status: string): string {
  if (pod.metadata?.deletionTimestamp === undefined) return status;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const ended = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
  return ended ? status : 'Terminating';
}

function restartsCell({ restarts, lastRestart }: Tally, nowMs: number): string {
  if (restarts === 0 || lastRestart === '') return `${restarts}`;
  return `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
}

/** @see pkg/printers/internalversion/printers.go printPod @ 24a394e */
export function summarizePod(pod: KubernetesObject, nowMs: number): PodSummary {
  const tally: Tally = { ready: 0, restarts: 0, lastRestart: '' };
  const running = sidecars(pod);
  let status = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  if (isGated(pod)) status = 'SchedulingGated';
  const initializing = initStatus(pod, running, tally);
  if (initializing === undefined || hasCondition(pod, 'Initialized')) {
    status = containerStatus(pod, status, tally);
  } else {
    status = initializing;
  }
  return {
    ready: tally.ready,
    total: recordsAt(pod, 'spec', 'containers').length + running.size,
    status: leavingStatus(pod, status),
    restarts: restartsCell(tally, nowMs),
  };
}

function addressCell(pod: KubernetesObject): string {
  return (
    textAt(recordsAt(pod, 'status', 'podIPs')[0], 'ip') || textAt(pod, 'status', 'podIP') || NONE
  );
}

function readinessGatesCell(pod: KubernetesObject): string {
  const gates = recordsAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return NONE;
  const open = gates.filter((gate) => hasCondition(pod, textAt(gate, 'conditionType')));
  return `${open.length}/${gates.length}`;
}

/** The cells of `kubectl get pods`, in the order of its columns. One pass over the containers gives three of them. */
export function podCells(pod: KubernetesObject, nowMs: number): readonly TableCell[] {
  const { ready, total, status, restarts } = summarizePod(pod, nowMs);
  return [
    nameColumn.read(pod, nowMs),
    `${ready}/${total}`,
    status,
    restarts,
    ageColumn.read(pod, nowMs),
    addressCell(pod),
    textAt(pod, 'spec', 'nodeName') || NONE,
    textAt(pod, 'status', 'nominatedNodeName') || NONE,
    readinessGatesCell(pod),
  ];
}
