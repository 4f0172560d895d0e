import { recordAt, recordsAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';
import { visitContainers, type PodReport } from '../report/pod-report.ts';

// See pkg/apis/core/validation/validation.go validateOS, validateWindowsHostProcessPod @ v1.36.3.

const SYSTEMS = ['linux', 'windows'];

/** Fields of the security context of a Windows pod, and those of the spec that Go keeps there, that must not be set. */
const NOT_IN_WINDOWS_PODS = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
const NOT_IN_WINDOWS_CONTAINERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** Fields that the operating system of a pod forbids. */
export function checkOperatingSystem(pod: PodReport, path: string): void {
  const name = pod.os;
  if (name === undefined) return;
  if (name === '') pod.required(`${path}.os.name`);
  else if (!SYSTEMS.includes(name)) pod.notSupported(`${path}.os`, name, SYSTEMS);
  else if (name === 'linux') checkLinux(pod, path);
  else checkWindows(pod, path);
}

function checkLinux(pod: PodReport, path: string): void {
  const check = (owner: JsonRecord, at: string): void => {
    if (valueAt(owner, 'securityContext', 'windowsOptions') === undefined) return;
    const rule = 'windows options cannot be set for a linux pod';
    pod.forbidden(`${at}.securityContext.windowsOptions`, rule);
  };
  check(pod.spec, path);
  pod.visitContainers(check);
}

function checkWindows(pod: PodReport, path: string): void {
  const rule = 'cannot be set for a windows pod';
  for (const field of NOT_IN_WINDOWS_PODS) {
    // Fields that are no pointers in Go are absent when they are off.
    if (valueAt(pod.spec, ...field.split('.')) === undefined) continue;
    pod.forbidden(`${path}.${field}`, rule);
  }
  pod.visitContainers((container, at) => {
    const context = recordAt(container, 'securityContext');
    for (const field of context === undefined ? [] : NOT_IN_WINDOWS_CONTAINERS) {
      if (context?.[field] === undefined) continue;
      pod.forbidden(`${at}.securityContext.${field}`, rule);
    }
  });
}

const HOST_PROCESS = ['securityContext', 'windowsOptions', 'hostProcess'];

/** Containers of Windows that are processes of the host: all of a pod, or none. */
export function checkHostProcesses(pod: PodReport, path: string): void {
  const whole = valueAt(pod.spec, ...HOST_PROCESS);
  let count = 0;
  let hostCount = 0;
  pod.visitContainers((container, at) => {
    const own = valueAt(container, ...HOST_PROCESS);
    count += 1;
    if ((own ?? whole) === true) hostCount += 1;
    if (whole === undefined || own === undefined || whole === own) return;
    const rule = `pod hostProcess value must be identical if both are specified, was ${whole as boolean}`;
    pod.invalid(`${at}.${HOST_PROCESS.join('.')}`, own, rule);
  });
  if (hostCount === 0) return;
  if (hostCount !== count) {
    const rule =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    pod.invalid(path, '', rule);
  }
  if (pod.spec['hostNetwork'] !== true) {
    const rule = 'hostNetwork must be true if pod contains any hostProcess containers';
    pod.invalid(`${path}.hostNetwork`, false, rule);
  }
  if (pod.policy.allowPrivileged === false) {
    const rule = 'hostProcess containers are disallowed by cluster policy';
    pod.forbidden(path, rule);
  }
}

/** Fields that a pod with a user namespace of its own cannot share with the host. */
export function checkUserNamespace(pod: PodReport, path: string): void {
  if (pod.hostUsers) return;
  const rule = 'when `hostUsers` is false';
  const { oldSpec } = pod.content;
  // Values that a stored pod has already stay allowed.
  const before = oldSpec?.['hostUsers'] === false ? oldSpec : {};
  if (pod.spec['hostNetwork'] === true && before['hostNetwork'] !== true) {
    pod.forbidden(`${path}.hostNetwork`, rule);
  }
  if (pod.spec['hostPID'] === true) pod.forbidden(`${path}.HostPID`, rule);
  if (pod.spec['hostIPC'] === true) pod.forbidden(`${path}.HostIPC`, rule);
  if (devicesOf(before, '').length > 0) return;
  for (const at of devicesOf(pod.spec, path)) pod.forbidden(at, rule);
}

/** The paths of the lists of devices. */
function devicesOf(spec: JsonRecord, path: string): string[] {
  const found: string[] = [];
  visitContainers(spec, path, (container, at) => {
    if (recordsAt(container, 'volumeDevices').length > 0) found.push(`${at}.volumeDevices`);
  });
  return found;
}
