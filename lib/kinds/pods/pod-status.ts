import type { UnstructuredObject } from '../../meta/object.ts';
import { newStatusStrategy, type UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  isRecord,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, type Check, type Report } from '../../server/registry/validation/check.ts';
import { dnsSubdomain, qualifiedName, dnsLabel } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { parseIp } from '../../server/registry/validation/addresses/ip-address.ts';
import {
  ipWarnings,
  legacyIp,
  unlessStored,
} from '../../server/registry/validation/addresses/ip-formats.ts';
import { between, format } from '../../server/registry/validation/values.ts';
import { podReport } from './pod-checks.ts';
import { checkAnnotationUpdate } from './pod-update.ts';
import type { PodReport } from './report/pod-report.ts';
import { text } from './report/small-checks.ts';
import { required, each, fields } from '../../server/registry/validation/combine.ts';
import { unixId } from './containers/security-profiles.ts';

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
function checkTransitions(
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
    pod.forbidden(`status.${list}[${index}].state`, rule);
  }
}

function hasEnded(status: JsonRecord): boolean {
  return recordAt(status, 'state', 'terminated') !== undefined;
}

function usersOf(uid: Check): Check {
  return fields({ uid, gid: unixId, supplementalGroups: each(unixId) });
}

const linuxUser = usersOf(between(0, 2 ** 32 - 1));
const shortLinuxUser = usersOf(unixId);

/** The users of the containers, which a Windows pod does not have. */
function checkUsers(pod: PodReport, list: string): void {
  for (const [index, one] of recordsAt(pod.object, 'status', list).entries()) {
    const linux = recordAt(one, 'user', 'linux');
    if (linux === undefined) continue;
    const at = `status.${list}[${index}].user.linux`;
    const check = pod.isSince('linuxUsersOf32Bits') ? linuxUser : shortLinuxUser;
    if (pod.os !== 'windows') check(linux, at, pod);
    else pod.forbidden(at, 'cannot be set for a windows pod');
  }
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const LONGEST_MESSAGE = 1024;

/** The health of devices, by resource or claim of the container. */
function checkDevices(pod: PodReport, list: string, containers: readonly JsonRecord[]): void {
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
  report.invalid(`${at}.name`, name, rule);
}

function checkHealth(devices: readonly JsonRecord[], path: string, report: Report): void {
  const seen = new Set<string>();
  for (const [index, one] of devices.entries()) {
    const at = `${path}[${index}]`;
    const health = textAt(one, 'health');
    const id = textAt(one, 'resourceID');
    const { message } = one;
    if (!HEALTH.includes(health)) report.notSupported(`${at}.health`, health, HEALTH);
    if (message === '') {
      report.required(`${at}.message`, 'must be non-empty if specified');
    } else if (typeof message === 'string' && message.length > LONGEST_MESSAGE) {
      report.tooLong(`${at}.message`, LONGEST_MESSAGE, 'bytes');
    }
    if (seen.has(id)) report.duplicate(`${at}.resourceID`, id);
    seen.add(id);
  }
}

/** Containers for debugging have no devices. */
function refuseDevices(pod: PodReport, list: string): void {
  for (const [index, one] of recordsAt(pod.object, 'status', list).entries()) {
    if (recordsAt(one, 'allocatedResourcesStatus').length === 0) continue;
    const rule = 'must not be specified in container status';
    pod.forbidden(`status.${list}[${index}].allocatedResourcesStatus`, rule);
  }
}

const claimName = format(dnsSubdomain);
const requiredClaim = required(claimName);
const requestName = text(dnsLabel);

/** The claims that were made for the pod. @see pkg/apis/core/validation/validation.go validatePodResourceClaimStatuses @ v1.36.3 */
function checkClaimStatuses(pod: PodReport): void {
  const path = 'status.resourceClaimStatuses';
  const seen = new Set<string>();
  for (const [index, one] of recordsAt(pod.object, 'status', 'resourceClaimStatuses').entries()) {
    const name = textAt(one, 'name');
    const at = `${path}[${index}]`;
    if (!pod.claimNames.has(name)) {
      const rule = 'must match the name of an entry in `spec.resourceClaims`';
      pod.invalid(`${at}.name`, name, rule);
    }
    if (seen.has(name)) pod.duplicate(`${at}.name`, name);
    seen.add(name);
    claimName(one['resourceClaimName'], `${at}.resourceClaimName`, pod);
  }
}

const OF_SPEC = (member: string): string =>
  `spec.initContainers${member} or spec.containers${member}`;

/** The claim of the extended resources of the pod. */
function checkExtendedClaim(pod: PodReport): void {
  const status = recordAt(pod.object, 'status', 'extendedResourceClaimStatus');
  if (!isRecord(status)) return;
  const path = 'status.extendedResourceClaimStatus';
  const mappings = recordsAt(status, 'requestMappings');
  if (mappings.length === 0) {
    const rule = 'at least one request mapping is required';
    pod.required(`${path}.requestMappings`, rule);
  }
  const seen = new Set<string>();
  for (const [index, one] of mappings.entries()) {
    checkMapping(one, `${path}.requestMappings[${index}]`, pod);
    // API servers report on it without its place.
    requestName(one['requestName'], `${path}.requestName`, pod);
    const members = ['containerName', 'resourceName', 'requestName'];
    const key = JSON.stringify(members.map((member) => textAt(one, member)));
    for (const member of seen.has(key) ? members : []) {
      const at = `${path}.requestMappings[${index}].${member}`;
      pod.duplicate(at, textAt(one, member));
    }
    seen.add(key);
  }
  requiredClaim(status['resourceClaimName'], `${path}.resourceClaimName`, pod);
}

function checkMapping(one: JsonRecord, at: string, pod: PodReport): void {
  const name = textAt(one, 'containerName');
  const resource = textAt(one, 'resourceName');
  const containers = ['initContainers', 'containers'].flatMap((list) => recordsAt(pod.spec, list));
  const container = containers.findLast((other) => textAt(other, 'name') === name);
  if (container === undefined) {
    const rule = `must match the name of an entry in ${OF_SPEC('.name')}`;
    pod.invalid(`${at}.containerName`, name, rule);
  } else if (!Object.hasOwn(recordAt(container, 'resources', 'requests') ?? {}, resource)) {
    const rule = `must match the extended resource name of an entry in ${OF_SPEC('.resources.requests')}`;
    pod.invalid(`${at}.resourceName`, resource, rule);
  }
}

const CONTAINERS = 'containerStatuses';
const INIT = 'initContainerStatuses';
const EPHEMERAL = 'ephemeralContainerStatuses';

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];
const NOT_NEGATIVE = 'must be a non-negative integer';
const conditionType = text(qualifiedName);
const nodeName = format(dnsSubdomain);

function checkConditions(status: JsonRecord, pod: PodReport): void {
  for (const [index, one] of recordsAt(status, 'conditions').entries()) {
    const at = `status.conditions[${index}]`;
    const generation = numberAt(one, 'observedGeneration');
    const type = textAt(one, 'type');
    if (generation < 0) pod.invalid(`${at}.observedGeneration`, generation, NOT_NEGATIVE);
    if (!SYSTEM_CONDITIONS.includes(type)) conditionType(type, `${at}.Type`, pod);
  }
}

function checkNode(status: JsonRecord, before: JsonRecord, pod: PodReport): void {
  const at = 'status.nominatedNodeName';
  const name = textAt(status, 'nominatedNodeName');
  if (name === '' || name === textAt(before, 'nominatedNodeName')) return;
  nodeName(name, at, pod);
  if (textAt(pod.content.oldSpec, 'nodeName') === '') return;
  const rule = 'may not be set on pods that are already bound to a node';
  pod.forbidden(at, rule);
}

/** The addresses of the pod or of its node: valid, and at most one of each family. */
function checkAddresses(
  member: 'podIPs' | 'hostIPs',
  status: JsonRecord,
  before: JsonRecord,
  pod: PodReport,
): void {
  const path = `status.${member}`;
  const list = recordsAt(status, member);
  const texts = list.map((one) => textAt(one, 'ip'));
  const stored = recordsAt(before, member).map((one) => textAt(one, 'ip'));
  const address = format(unlessStored(legacyIp, stored));
  for (const [index, one] of texts.entries()) address(one, `${path}[${index}]`, pod);
  if (list.length < 2) return;
  const families = texts.map((one) => parseIp(one)?.family);
  const unread = families.indexOf(undefined);
  if (unread >= 0) {
    const detail = `invalid IP[${unread}]: ${texts[unread]}`;
    pod.internalError(path, `failed to check for dual stack with error:${detail}`);
  } else if (list.length === 2 && families[0] !== families[1]) {
    return;
  }
  const rule = 'may specify no more than one IP for each IP family';
  pod.invalid(
    path,
    list.map((one) => goForm(`core.${member === 'podIPs' ? 'PodIP' : 'HostIP'}`, one)),
    rule,
  );
}

function checkHostAddress(status: JsonRecord, pod: PodReport): void {
  const first = recordsAt(status, 'hostIPs')[0];
  if (first === undefined || textAt(first, 'ip') === textAt(status, 'hostIP')) return;
  pod.invalid('status.hostIPs[0].ip', textAt(first, 'ip'), 'must be equal to `hostIP`');
}

/** @see pkg/apis/core/validation/validation.go ValidatePodStatusUpdate @ v1.36.3 */
const statusChecks: Check = (_object, _path, report) => {
  const pod = podReport(report);
  const status = recordAt(pod.object, 'status') ?? {};
  const before = recordAt(pod.existing, 'status') ?? {};
  const [containers, initContainers] = ['containers', 'initContainers'].map((list) =>
    recordsAt(pod.spec, list),
  ) as [JsonRecord[], JsonRecord[]];
  checkAnnotationUpdate(pod);
  checkConditions(status, pod);
  checkNode(status, before, pod);
  const generation = numberAt(status, 'observedGeneration');
  if (generation < 0) pod.invalid('status.observedGeneration', generation, NOT_NEGATIVE);
  const qos = textAt(status, 'qosClass');
  if (qos !== textAt(before, 'qosClass')) pod.immutable('status.qosClass', qos);
  checkTransitions(pod, CONTAINERS, containers);
  checkTransitions(pod, INIT, initContainers);
  checkTransitions(pod, EPHEMERAL, undefined);
  checkClaimStatuses(pod);
  checkExtendedClaim(pod);
  checkAddresses('podIPs', status, before, pod);
  checkHostAddress(status, pod);
  checkAddresses('hostIPs', status, before, pod);
  for (const list of [CONTAINERS, INIT, EPHEMERAL]) checkUsers(pod, list);
  checkDevices(pod, CONTAINERS, containers);
  checkDevices(pod, INIT, initContainers);
  refuseDevices(pod, EPHEMERAL);
};

/** A generation that a client leaves out is kept. */
function keepGenerations(status: JsonRecord, before: JsonRecord): void {
  const name = 'observedGeneration';
  const keep = (record: JsonRecord, old: number): void => {
    if (old !== 0 && numberAt(record, name) === 0) record[name] = old;
  };
  keep(status, numberAt(before, name));
  const known = new Map<string, number[]>();
  for (const one of recordsAt(before, 'conditions')) {
    const type = textAt(one, 'type');
    known.set(type, [...(known.get(type) ?? []), numberAt(one, name)]);
  }
  for (const one of recordsAt(status, 'conditions')) {
    keep(one, known.get(textAt(one, 'type'))?.shift() ?? 0);
  }
}

/** Fields of the status whose features are switched off by default. */
const OFF = ['nodeAllocatableResourceClaimStatuses'];

const base = newStatusStrategy({
  validateUpdate: (pod, existing, policy) => causesOf(statusChecks, pod, existing, policy),
});

/** @see pkg/registry/core/pod/strategy.go podStatusStrategy @ v1.36.3 */
export const podStatusStrategy: UpdateStrategy = {
  ...base,
  prepareForUpdate(pod: MutableObject, existing: MutableObject, context) {
    base.prepareForUpdate(pod, existing, context);
    const owners = existing.metadata['ownerReferences'];
    if (owners === undefined) delete pod.metadata['ownerReferences'];
    else setOwn(pod.metadata, 'ownerReferences', owners);
    const status = recordAt(pod, 'status');
    const before = recordAt(existing, 'status') ?? {};
    if (status === undefined) return;
    if (textAt(status, 'qosClass') === '' && before['qosClass'] !== undefined) {
      status['qosClass'] = before['qosClass'];
    }
    keepGenerations(status, before);
    for (const name of OFF) if (before[name] === undefined) delete status[name];
  },
  warnings: (pod: UnstructuredObject) =>
    ['podIPs', 'hostIPs'].flatMap((member) =>
      recordsAt(pod, 'status', member).flatMap((one, index) =>
        ipWarnings(`status.${member}[${index}].ip`, textAt(one, 'ip')),
      ),
    ),
};
