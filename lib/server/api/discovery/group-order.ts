import { compareVersionNames } from '../../../meta/versions/version-names.ts';
import { builtInVersions } from '../../../meta/surface/built-in-surface.ts';
import type { GroupVersion } from '../../../meta/resource.ts';

/** Where a version stands in discovery; higher comes first. */
export interface VersionPriority {
  readonly group: number;
  readonly version: number;
}

/**
 * The priority of the versions of custom resources.
 * @see kubernetes pkg/controlplane/controller/crdregistration/crdregistration_controller.go @ 1.36.3
 */
const CUSTOM: VersionPriority = { group: 1000, version: 100 };

/** The group of APIServices has none itself, and comes first. */
const FIRST: VersionPriority = { group: Number.POSITIVE_INFINITY, version: 0 };

let known: ReadonlyMap<string, VersionPriority> | undefined;

/** The priority of a version: that of its APIService in kube-apiserver. */
export function priorityOf({ group, version }: GroupVersion): VersionPriority {
  known ??= new Map(
    builtInVersions().map(({ groupPriority, versionPriority, ...one }) => [
      serviceName(one),
      groupPriority === undefined || versionPriority === undefined
        ? FIRST
        : { group: groupPriority, version: versionPriority },
    ]),
  );
  return known.get(serviceName({ group, version })) ?? CUSTOM;
}

/** The name of the APIService of a version. */
export function serviceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

/** Orders versions of one group, preferred first. */
export function compareVersions(left: GroupVersion, right: GroupVersion): number {
  return (
    priorityOf(right).version - priorityOf(left).version ||
    compareVersionNames(left.version, right.version)
  );
}

interface Group {
  readonly group: string;
  readonly versions: readonly GroupVersion[];
}

/** The order of groups in the aggregated document: by priority, then by name. */
export function compareGroups(left: Group, right: Group): number {
  return compareAs(left, right, ({ group }) => group);
}

/** The order of groups in the legacy document: by priority, then by the name of the first APIService, which begins with a version. */
export function compareLegacyGroups(left: Group, right: Group): number {
  return compareAs(left, right, ({ versions }) => versions.map(serviceName).toSorted()[0] ?? '');
}

function compareAs(left: Group, right: Group, nameOf: (group: Group) => string): number {
  const [one, other] = [groupPriority(left), groupPriority(right)];
  if (one !== other) return other > one ? 1 : -1;
  return nameOf(left) < nameOf(right) ? -1 : 1;
}

function groupPriority({ versions }: Group): number {
  return Math.max(...versions.map((version) => priorityOf(version).group));
}
