import type { KubernetesObject } from '../../meta/object.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { ageOf } from '../../server/registry/rules/duration.ts';
import {
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { ageCell, conditionHolds, isLeaving, nameCell, NONE, textOr } from './row-cells.ts';

interface Tally {
  ready: number;
  restarts: number;
  /** The time of the latest restart, RFC 3339. */
  lastRestart: string;
}

function newTally(): Tally {
  return { ready: 0, restarts: 0, lastRestart: '' };
}

/** Names of the init containers that keep running beside the main containers. */
function sidecarsOf(pod: KubernetesObject): Set<string> {
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

/** The counts of all init containers up to the first that is not done, and of the sidecars among them. */
interface InitSummary {
  readonly all: Tally;
  readonly sidecars: Tally;
  /** The state of the first init container that is not done; undefined when all are done. */
  readonly status: string | undefined;
}

function summarizeInit(pod: KubernetesObject, sidecars: ReadonlySet<string>): InitSummary {
  const summary = { all: newTally(), sidecars: newTally() };
  for (const [index, container] of recordsAt(pod, 'status', 'initContainerStatuses').entries()) {
    countRestarts(summary.all, container);
    const isSidecar = sidecars.has(textAt(container, 'name'));
    if (isSidecar) countRestarts(summary.sidecars, container);
    const terminated = recordAt(container, 'state', 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && container['started'] === true) {
      if (container['ready'] === true) {
        summary.all.ready += 1;
        summary.sidecars.ready += 1;
      }
      continue;
    }
    return { ...summary, status: initStatus(pod, container, terminated, index) };
  }
  return { ...summary, status: undefined };
}

function initStatus(
  pod: KubernetesObject,
  container: JsonRecord,
  terminated: JsonRecord | undefined,
  index: number,
): string {
  if (terminated !== undefined) return `Init:${endOf(terminated)}`;
  const waiting = textAt(container, 'state', 'waiting', 'reason');
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${recordsAt(pod, 'spec', 'initContainers').length}`;
}

/** The state of the first container with a reason. */
function containerStatus(pod: KubernetesObject, phase: string, tally: Tally): string {
  let status = phase;
  let failed = '';
  let anyRunning = false;
  for (const container of recordsAt(pod, 'status', 'containerStatuses').toReversed()) {
    countRestarts(tally, container);
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    const terminated = recordAt(container, 'state', 'terminated');
    if (waiting !== '') status = waiting;
    else if (terminated !== undefined) {
      status = endOf(terminated);
      if (numberAt(terminated, 'exitCode') !== 0) failed = status;
    } else if (container['ready'] === true && isRecord(valueAt(container, 'state', 'running'))) {
      anyRunning = true;
      tally.ready += 1;
    }
  }
  if (status !== 'Completed') return status;
  if (anyRunning && conditionHolds(pod, 'Ready')) return 'Running';
  return failed || (anyRunning ? 'NotReady' : status);
}

function isGated(pod: KubernetesObject): boolean {
  return recordsAt(pod, 'status', 'conditions').some(
    (one) => one['type'] === 'PodScheduled' && one['reason'] === 'SchedulingGated',
  );
}

function leavingStatus(pod: KubernetesObject, status: string): string {
  if (!isLeaving(pod)) return status;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const ended = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
  return ended ? status : 'Terminating';
}

function restartsCell({ restarts, lastRestart }: Tally, nowMs: number): string {
  if (restarts === 0 || lastRestart === '') return `${restarts}`;
  return `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
}

/** Ready containers, status and restarts. @see pkg/printers/internalversion/printers.go printPod @ v1.36.3 */
function summaryCells(pod: KubernetesObject, nowMs: number): readonly [string, string, string] {
  const sidecars = sidecarsOf(pod);
  const initial = isGated(pod)
    ? 'SchedulingGated'
    : textOr(textAt(pod, 'status', 'phase'), pod, 'status', 'reason');
  const init = summarizeInit(pod, sidecars);
  const isInitialized = init.status === undefined || conditionHolds(pod, 'Initialized');
  // While containers run, only the restarts of sidecars count among those of init containers.
  const tally = isInitialized ? { ...init.sidecars, ready: init.all.ready } : init.all;
  const status = isInitialized
    ? containerStatus(pod, init.status ?? initial, tally)
    : (init.status ?? initial);
  const total = recordsAt(pod, 'spec', 'containers').length + sidecars.size;
  return [`${tally.ready}/${total}`, leavingStatus(pod, status), restartsCell(tally, nowMs)];
}

function readinessGatesCell(pod: KubernetesObject): string {
  const gates = recordsAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return NONE;
  const open = gates.filter((gate) => conditionHolds(pod, textAt(gate, 'conditionType')));
  return `${open.length}/${gates.length}`;
}

/** The cells of `kubectl get pods`; three of them come from one pass over the containers. */
export const podCells: RowCells = (pod, nowMs) => [
  nameCell(pod),
  ...summaryCells(pod, nowMs),
  ageCell(pod, nowMs),
  textOr(NONE, recordsAt(pod, 'status', 'podIPs')[0], 'ip'),
  textOr(NONE, pod, 'spec', 'nodeName'),
  textOr(NONE, pod, 'status', 'nominatedNodeName'),
  readinessGatesCell(pod),
];
