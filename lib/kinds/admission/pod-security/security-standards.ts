import {
  defaultCapabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProcesses,
  hostsOfProbes,
  privilegedContainers,
  procMounts,
  seLinuxOptions,
  seLinuxWithEngine,
  SYSCTL_CHECKS,
} from './baseline-checks.ts';
import { appArmor, seccompAnnotations, seccompRequired, seccompTypes } from './profile-checks.ts';
import {
  droppedCapabilities,
  nonRoot,
  privilegeEscalation,
  rootUser,
  volumeTypes,
} from './restricted-checks.ts';
import {
  notOfWindows,
  ofHostUsers,
  type PodCheck,
  type SecuredPod,
  type Violation,
} from './secured-pod.ts';
import type { LevelVersion } from './security-policy.ts';

/** The revisions of a check, by the first version that has each, oldest first. */
type Revisions = readonly (readonly [minor: number, check: PodCheck])[];

/** By kube-apiserver's names of the checks, in the order of their messages. */
const BASELINE: Readonly<Record<string, Revisions>> = {
  appArmorProfile: [[0, appArmor]],
  capabilities_baseline: [[0, defaultCapabilities]],
  hostNamespaces: [[0, hostNamespaces]],
  hostPathVolumes: [[0, hostPathVolumes]],
  hostPorts: [[0, hostPorts]],
  hostProbesAndHostLifecycle: [[34, hostsOfProbes]],
  privileged: [[0, privilegedContainers]],
  procMount: [
    [0, procMounts],
    [35, ofHostUsers(procMounts)],
  ],
  seLinuxOptions: [
    [0, seLinuxOptions],
    [31, seLinuxWithEngine],
  ],
  seccompProfile_baseline: [
    [0, seccompAnnotations],
    [19, seccompTypes],
  ],
  sysctls: SYSCTL_CHECKS,
  windowsHostProcess: [[0, hostProcesses]],
};

interface RestrictedCheck {
  readonly revisions: Revisions;
  /** The check of the standard "baseline" that this one makes needless. */
  readonly replaces?: string;
}

const RESTRICTED: readonly RestrictedCheck[] = [
  {
    revisions: [
      [8, privilegeEscalation],
      [25, notOfWindows(privilegeEscalation)],
    ],
  },
  {
    revisions: [
      [22, droppedCapabilities],
      [25, notOfWindows(droppedCapabilities)],
    ],
    replaces: 'capabilities_baseline',
  },
  { revisions: [[35, procMounts]], replaces: 'procMount' },
  { revisions: [[0, volumeTypes]], replaces: 'hostPathVolumes' },
  {
    revisions: [
      [0, nonRoot],
      [35, ofHostUsers(nonRoot)],
    ],
  },
  {
    revisions: [
      [23, rootUser],
      [35, ofHostUsers(rootUser)],
    ],
  },
  {
    revisions: [
      [19, seccompRequired],
      [25, notOfWindows(seccompRequired)],
    ],
    replaces: 'seccompProfile_baseline',
  },
];

/**
 * The standards by level and version. A version without changes has the checks of the last one before it.
 * @see pod-security-admission policy/registry.go @ v0.37.2
 */
export class SecurityStandards {
  /** Of the versions that were asked for; bounded, because there are few of them. */
  readonly #checks = new Map<string, readonly PodCheck[]>();
  /** Later versions have the checks of this one. */
  readonly #newest: number;

  constructor(newest: number) {
    this.#newest = newest;
  }

  /** The rules of a standard that a pod breaks. */
  violations(pod: SecuredPod, { level, minor }: LevelVersion): Violation[] {
    if (level === 'privileged') return [];
    const known = Math.min(minor, this.#newest);
    const name = `${level} ${known}`;
    const checks = this.#checks.get(name) ?? checksOf(level, known);
    this.#checks.set(name, checks);
    return checks.flatMap((check) => check(pod) ?? []);
  }
}

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
  const stricter = level === 'restricted' ? RESTRICTED : [];
  const current = stricter.flatMap(({ revisions, replaces }) => {
    const check = revisionAt(revisions, minor);
    return check === undefined ? [] : [{ check, replaces }];
  });
  const replaced = new Set(current.map(({ replaces }) => replaces));
  const baseline = Object.entries(BASELINE).flatMap(([id, revisions]) =>
    replaced.has(id) ? [] : (revisionAt(revisions, minor) ?? []),
  );
  return [...baseline, ...current.map(({ check }) => check)];
}

function revisionAt(revisions: Revisions, minor: number): PodCheck | undefined {
  return revisions.findLast(([since]) => since <= minor)?.[1];
}

/** `host namespaces (hostPID=true), privileged (container "a" must …)`. */
export function violationsText(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ');
}

/** The violations in short, for lists of pods. */
export function reasonsText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
