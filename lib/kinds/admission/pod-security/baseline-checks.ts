import {
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import {
  containersText,
  containersThat,
  counted,
  forbiddenInContexts,
  joinQuoted,
  securityContextOf,
  sortedOnce,
  use,
  type PodCheck,
} from './secured-pod.ts';

// The checks of the standard "baseline", which prevents known ways to more privileges.

const DEFAULT_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

/** @see pod-security-admission policy/check_capabilities_baseline.go @ v0.37.2 */
export const defaultCapabilities: PodCheck = (pod) => {
  const forbidden = (container: JsonRecord): string[] =>
    textsAt(container, 'securityContext', 'capabilities', 'add').filter(
      (one) => !DEFAULT_CAPABILITIES.includes(one),
    );
  const names = containersThat(pod, (one) => forbidden(one).length > 0);
  if (names.length === 0) return undefined;
  const list = joinQuoted(sortedOnce(pod.containers.flatMap(forbidden)));
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(names)} must not include ${list} in securityContext.capabilities.add`,
  };
};

/** @see pod-security-admission policy/check_hostNamespaces.go @ v0.37.2 */
export const hostNamespaces: PodCheck = ({ spec }) => {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

/** @see pod-security-admission policy/check_hostPathVolumes.go @ v0.37.2 */
export const hostPathVolumes: PodCheck = ({ spec }) => {
  const volumes = recordsAt(spec, 'volumes').filter((one) => recordAt(one, 'hostPath'));
  if (volumes.length === 0) return undefined;
  const names = joinQuoted(volumes.map((one) => textAt(one, 'name')));
  return { reason: 'hostPath volumes', detail: `${counted('volume', volumes)} ${names}` };
};

/** @see pod-security-admission policy/check_hostPorts.go @ v0.37.2 */
export const hostPorts: PodCheck = (pod) => {
  const portsOf = (container: JsonRecord): number[] =>
    recordsAt(container, 'ports')
      .map((one) => numberAt(one, 'hostPort'))
      .filter((port) => port !== 0);
  const names = containersThat(pod, (one) => portsOf(one).length > 0);
  if (names.length === 0) return undefined;
  const ports = sortedOnce(pod.containers.flatMap(portsOf).map(String));
  const detail = `${containersText(names)} ${use(names)} ${counted('hostPort', ports)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail };
};

const HANDLERS: readonly (readonly string[])[] = [
  ['livenessProbe'],
  ['readinessProbe'],
  ['startupProbe'],
  ['lifecycle', 'postStart'],
  ['lifecycle', 'preStop'],
];

/** @see pod-security-admission policy/check_hostProbesAndhostLifecycle.go @ v0.37.2 */
export const hostsOfProbes: PodCheck = (pod) => {
  const hostsOf = (container: JsonRecord): string[] =>
    HANDLERS.flatMap((path) =>
      ['httpGet', 'tcpSocket'].map((action) => textAt(container, ...path, action, 'host')),
    ).filter((host) => host !== '');
  const names = sortedOnce(containersThat(pod, (one) => hostsOf(one).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sortedOnce(pod.containers.flatMap(hostsOf));
  const what = counted('probe or lifecycle host', hosts);
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(names)} ${use(names)} ${what} ${joinQuoted(hosts)}`,
  };
};

/** @see pod-security-admission policy/check_privileged.go @ v0.37.2 */
export const privilegedContainers: PodCheck = (pod) => {
  const names = containersThat(pod, (one) => securityContextOf(one)['privileged'] === true);
  if (names.length === 0) return undefined;
  const detail = `${containersText(names)} must not set securityContext.privileged=true`;
  return { reason: 'privileged', detail };
};

/** @see pod-security-admission policy/check_procMount_baseline.go @ v0.37.2 */
export const procMounts: PodCheck = (pod) => {
  const mountOf = (container: JsonRecord): string => {
    const mount = textAt(container, 'securityContext', 'procMount');
    return mount === 'Default' ? '' : mount;
  };
  const names = containersThat(pod, (one) => mountOf(one) !== '');
  if (names.length === 0) return undefined;
  const mounts = sortedOnce(pod.containers.map(mountOf).filter((one) => one !== ''));
  return {
    reason: 'procMount',
    detail: `${containersText(names)} must not set securityContext.procMount to ${joinQuoted(mounts)}`,
  };
};

const SE_LINUX_TYPES: readonly string[] = [
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
];

/** @see pod-security-admission policy/check_seLinuxOptions.go @ v0.37.2 */
function seLinux(types: readonly string[]): PodCheck {
  return (pod) => {
    const optionsOf = (context: JsonRecord): JsonRecord =>
      recordAt(context, 'seLinuxOptions') ?? {};
    const isWrongType = (options: JsonRecord): boolean => !types.includes(textAt(options, 'type'));
    const has = (field: string, options: JsonRecord): boolean => textAt(options, field) !== '';
    const isForbidden = (context: JsonRecord): boolean => {
      const options = optionsOf(context);
      return isWrongType(options) || has('user', options) || has('role', options);
    };
    return forbiddenInContexts(pod, isForbidden, (setters) => {
      const all = [pod.spec, ...pod.containers].map((one) => optionsOf(securityContextOf(one)));
      const wrong = sortedOnce(all.filter(isWrongType).map((one) => textAt(one, 'type')));
      const faults = [
        ...(wrong.length === 0 ? [] : [`${counted('type', wrong)} ${joinQuoted(wrong)}`]),
        ...['user', 'role'].flatMap((field) =>
          all.some((one) => has(field, one)) ? [`${field} may not be set`] : [],
        ),
      ];
      const what = 'set forbidden securityContext.seLinuxOptions';
      return { reason: 'seLinuxOptions', detail: `${setters} ${what}: ${faults.join('; ')}` };
    });
  };
}

export const seLinuxOptions: PodCheck = seLinux(SE_LINUX_TYPES);
export const seLinuxWithEngine: PodCheck = seLinux([...SE_LINUX_TYPES, 'container_engine_t']);

/** The sysctls that a version of the standards allows besides those before. */
const SAFE_SYSCTLS: readonly (readonly [minor: number, names: readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
  [37, ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat']],
];

/** The check of sysctls by the version that has it first. @see pod-security-admission policy/check_sysctls.go @ v0.37.2 */
export const SYSCTL_CHECKS: readonly (readonly [minor: number, check: PodCheck])[] =
  SAFE_SYSCTLS.map(([minor]) => {
    const known = SAFE_SYSCTLS.filter(([since]) => since <= minor);
    return [minor, sysctlsIn(new Set(known.flatMap(([, names]) => names)))];
  });

function sysctlsIn(safe: ReadonlySet<string>): PodCheck {
  return ({ spec }) => {
    const names = recordsAt(spec, 'securityContext', 'sysctls').map((one) => textAt(one, 'name'));
    const forbidden = names.filter((name) => !safe.has(name));
    if (forbidden.length === 0) return undefined;
    return { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
  };
}

/** @see pod-security-admission policy/check_windowsHostProcess.go @ v0.37.2 */
export const hostProcesses: PodCheck = (pod) =>
  forbiddenInContexts(
    pod,
    (context) => recordAt(context, 'windowsOptions')?.['hostProcess'] === true,
    (setters) => ({
      reason: 'hostProcess',
      detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
    }),
  );
