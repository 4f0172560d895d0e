import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../../server/registry/rules/field-causes.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Report } from '../../../server/registry/validation/check.ts';
import { each, fields } from '../../../server/registry/validation/combine.ts';
import { unixId } from '../containers/security-profiles.ts';
import type { PodReport } from '../report/pod-report.ts';

// See pkg/apis/core/validation/validation.go ValidatePodStatusUpdate @ v1.36.3.

const RESTARTS_ALL = 'RestartAllContainers';

function rulesOf(container: JsonRecord): JsonRecord[] {
  return recordsAt(container, 'restartPolicyRules');
}

/** Whether one of the containers may restart all of them. */
function mayRestartAll(spec: JsonRecord): boolean {
  return [...recordsAt(spec, 'initContainers'), ...recordsAt(spec, 'containers')].some((one) =>
    rulesOf(one).some(({ action }) => action === RESTARTS_ALL),
  );
}

function matches(rule: JsonRecord, exitCode: number): boolean {
  const codes = recordAt(rule, 'exitCodes');
  const values = codes?.['values'];
  const isIn = Array.isArray(values) && values.includes(exitCode);
  return codes?.['operator'] === 'NotIn' ? !isIn : isIn;
}

function restartsBy(policy: unknown, exitCode: number): boolean {
  if (policy === 'OnFailure') return exitCode !== 0;
  return policy !== 'Never';
}

/** Whether the container starts again after it ended. @see pkg/api/v1/pod/util.go ContainerShouldRestart @ v1.36.3 */
function shouldRestart(container: JsonRecord, spec: JsonRecord, exitCode: number): boolean {
  const { restartPolicy } = container;
  if (restartPolicy === undefined) return restartsBy(spec['restartPolicy'], exitCode);
  const rule = rulesOf(container).find((one) => matches(one, exitCode));
  if (rule?.['action'] === 'Restart' || rule?.['action'] === RESTARTS_ALL) return true;
  return restartsBy(restartPolicy, exitCode);
}

/** Refuses that an ended container runs again which does not restart. Statuses of ephemeral containers have no list of containers. */
export function checkTransitions(
  pod: PodReport,
  list: string,
  containers: readonly JsonRecord[] | undefined,
): void {
  const before = recordAt(pod.existing, 'status');
  const spec = pod.content.oldSpec ?? {};
  if (containers !== undefined && mayRestartAll(spec)) return;
  const statuses = recordsAt(pod.object, 'status', list);
  for (const [index, old] of recordsAt(before, list).entries()) {
    const ended = recordAt(old, 'state', 'terminated');
    const name = textAt(old, 'name');
    const given = statuses.find((one) => textAt(one, 'name') === name && !hasEnded(one));
    if (ended === undefined || given === undefined) continue;
    const container = containers?.find((one) => textAt(one, 'name') === name);
    if (container !== undefined && shouldRestart(container, spec, numberAt(ended, 'exitCode'))) {
      continue;
    }
    const rule = 'may not be transitioned to non-terminated state';
    pod.add(fieldForbidden(`status.${list}[${index}].state`, rule));
  }
}

function hasEnded(status: JsonRecord): boolean {
  return recordAt(status, 'state', 'terminated') !== undefined;
}

const linuxUser = fields({ uid: unixId, gid: unixId, supplementalGroups: each(unixId) });

/** The users of the containers, which a Windows pod does not have. */
export function checkUsers(pod: PodReport, list: string): void {
  for (const [index, one] of recordsAt(pod.object, 'status', list).entries()) {
    const linux = recordAt(one, 'user', 'linux');
    if (linux === undefined) continue;
    const at = `status.${list}[${index}].user.linux`;
    if (pod.os !== 'windows') linuxUser(linux, at, pod);
    else pod.add(fieldForbidden(at, 'cannot be set for a windows pod'));
  }
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const LONGEST_MESSAGE = 1024;

/** The health of devices, by resource or claim of the container. */
export function checkDevices(
  pod: PodReport,
  list: string,
  containers: readonly JsonRecord[],
): void {
  for (const [index, one] of recordsAt(pod.object, 'status', list).entries()) {
    const container = containers.find((other) => textAt(other, 'name') === textAt(one, 'name'));
    const path = `status.${list}[${index}].allocatedResourcesStatus`;
    for (const [place, device] of recordsAt(one, 'allocatedResourcesStatus').entries()) {
      const at = `${path}[${place}]`;
      if (container !== undefined) checkName(textAt(device, 'name'), container, at, pod);
      checkHealth(recordsAt(device, 'resources'), `${at}.resources`, pod);
    }
  }
}

function checkName(name: string, container: JsonRecord, at: string, report: Report): void {
  const isClaim = name.startsWith('claim:');
  const claims = recordsAt(container, 'resources', 'claims').map((claim) => {
    const request = textAt(claim, 'request');
    return `claim:${textAt(claim, 'name')}${request === '' ? '' : `/${request}`}`;
  });
  const requests = Object.keys(recordAt(container, 'resources', 'requests') ?? {});
  if ((isClaim ? claims : requests).includes(name)) return;
  const rule = isClaim
    ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
    : "must match one of the container's resource requests";
  report.add(fieldInvalid(`${at}.name`, name, rule));
}

function checkHealth(devices: readonly JsonRecord[], path: string, report: Report): void {
  const seen = new Set<string>();
  for (const [index, one] of devices.entries()) {
    const at = `${path}[${index}]`;
    const health = textAt(one, 'health');
    const id = textAt(one, 'resourceID');
    const { message } = one;
    if (!HEALTH.includes(health)) report.add(fieldNotSupported(`${at}.health`, health, HEALTH));
    if (message === '') {
      report.add(fieldRequired(`${at}.message`, 'must be non-empty if specified'));
    } else if (typeof message === 'string' && message.length > LONGEST_MESSAGE) {
      report.add(fieldTooLong(`${at}.message`, LONGEST_MESSAGE, 'bytes'));
    }
    if (seen.has(id)) report.add(fieldDuplicate(`${at}.resourceID`, id));
    seen.add(id);
  }
}

/** Containers for debugging have no devices. */
export function refuseDevices(pod: PodReport, list: string): void {
  for (const [index, one] of recordsAt(pod.object, 'status', list).entries()) {
    if (recordsAt(one, 'allocatedResourcesStatus').length === 0) continue;
    const rule = 'must not be specified in container status';
    pod.add(fieldForbidden(`status.${list}[${index}].allocatedResourcesStatus`, rule));
  }
}
