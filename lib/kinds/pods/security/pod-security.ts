import { fieldInvalid } from '../../../server/registry/rules/field-causes.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { each, fields } from '../../../server/registry/validation/combine.ts';
import { oneOf } from '../../../server/registry/validation/values.ts';
import { appArmorProfile, seccompProfile, unixId } from '../containers/security-profiles.ts';
import { windowsOptions } from '../containers/windows-options.ts';
import { podCheck } from '../report/pod-report.ts';

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const IS_SYSCTL = new RegExp(SYSCTL);
const LONGEST_SYSCTL = 253;

const IPC_SYSCTL =
  /^(?:kernel\.(?:sem|shm(?:all|max|mni|_rmid_forced)?|msg(?:max|mnb|mni)?)$|fs\.mqueue\.)/;

/** Namespaces that the host must not share for the sysctl. */
function sharedBy(name: string, spec: JsonRecord): 'hostNetwork' | 'hostIPC' | undefined {
  const [plain = ''] = normalized(name).split('*');
  if (spec['hostNetwork'] === true && plain.startsWith('net.')) return 'hostNetwork';
  return spec['hostIPC'] === true && IPC_SYSCTL.test(plain) ? 'hostIPC' : undefined;
}

/** The name with points, which may be written with slashes. */
function normalized(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (one) => (one === '/' ? '.' : '/'));
}

function sharesSysctl(spec: JsonRecord | undefined): boolean {
  return recordsAt(spec, 'securityContext', 'sysctls').some(
    (one) => sharedBy(textAt(one, 'name'), spec as JsonRecord) !== undefined,
  );
}

const sysctls: Check = podCheck((list, path, pod) => {
  const names = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const name = textAt(one, 'name');
    const at = `${path}[${index}].name`;
    if (name === '') pod.required(at);
    else if (name.length > LONGEST_SYSCTL || !IS_SYSCTL.test(name)) {
      const rule = `must have at most ${LONGEST_SYSCTL} characters and match regex ${SYSCTL}`;
      pod.invalid(at, name, rule);
    } else if (names.has(name)) pod.duplicate(at, name);
    names.add(name);
    const shared = sharedBy(name, pod.spec);
    if (shared === undefined || sharesSysctl(pod.content.oldSpec)) continue;
    pod.invalid(at, name, `may not be specified when '${shared}' is true`);
  }
});

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

/** It is kept at the security context in Go. */
const sharedProcesses: Check = podCheck((_context, path, pod) => {
  const { spec, causes } = pod;
  if (spec['shareProcessNamespace'] !== true || spec['hostPID'] !== true) return;
  const rule = 'ShareProcessNamespace and HostPID cannot both be enabled';
  const owner = pod.isSince('podsOfOneForm') ? parentOf(path) : path;
  causes.push(fieldInvalid(`${owner}.shareProcessNamespace`, true, rule));
});

const ids = fields({
  fsGroup: unixId,
  runAsUser: unixId,
  runAsGroup: unixId,
  supplementalGroups: each(unixId),
});

const CHANGE_POLICIES = ['MountOption', 'Recursive'];

/** Only one policy is switched on by default in older versions, unless the stored pod has another one. */
const changePolicy: Check = podCheck((policy, path, pod) => {
  const stored = recordAt(pod.content.oldSpec, 'securityContext');
  const isOn = pod.isSince('seLinuxMount') || stored?.['seLinuxChangePolicy'] !== undefined;
  const policies = isOn ? CHANGE_POLICIES : ['Recursive'];
  if (policy === undefined || policies.includes(policy as string)) return;
  pod.notSupported(path, policy, policies);
});

const rest = fields({
  sysctls,
  fsGroupChangePolicy: oneOf(['Always', 'OnRootMismatch']),
  seccompProfile,
  windowsOptions,
  appArmorProfile,
  supplementalGroupsPolicy: oneOf(['Merge', 'Strict']),
  seLinuxChangePolicy: changePolicy,
});

/** @see pkg/apis/core/validation/validation.go validatePodSpecSecurityContext @ v1.36.3 */
export const podSecurityContext: Check = (context, path, report) => {
  ids(context, path, report);
  sharedProcesses(context, path, report);
  rest(context, path, report);
};
