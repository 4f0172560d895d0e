import { apiVersionOf, type GroupVersion } from '../../../meta/resource.ts';
import type {
  InstalledResource,
  ResourceDescription,
  ResourceRegistry,
  RestStorage,
} from '../../registry/contract/rest-storage.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { compareGroups, compareVersions } from './group-order.ts';

/** The resources of one group and version. */
export interface ServedVersion extends GroupVersion {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  readonly resources: readonly InstalledResource[];
}

/** One API group; its preferred version comes first. */
export interface ServedGroup {
  /** Empty for the core group. */
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

/** The registry's resources in the order of discovery: by group, then by version, then by name. */
export function servedGroups(registry: ResourceRegistry): ServedGroup[] {
  const groups = new Map<string, Map<string, InstalledResource[]>>();
  for (const installed of registry.all()) {
    const { group, version } = installed.main.describe;
    const versions = groups.get(group) ?? new Map<string, InstalledResource[]>();
    groups.set(group, versions);
    const resources = versions.get(version) ?? [];
    versions.set(version, resources);
    resources.push(installed);
  }
  return [...groups]
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .map(([version, resources]) => ({
          group,
          version,
          apiVersion: apiVersionOf({ group, version }),
          resources: resources.toSorted(compareNames),
        }))
        .toSorted(compareVersions),
    }))
    .toSorted(compareGroups);
}

function compareNames(
  { main: left }: InstalledResource,
  { main: right }: InstalledResource,
): number {
  return left.describe.resource < right.describe.resource ? -1 : 1;
}

/** The method of a storage for each verb; a patch is an update. */
const METHOD_OF_VERB = {
  create: 'create',
  delete: 'delete',
  deletecollection: 'deleteCollection',
  get: 'get',
  list: 'list',
  patch: 'update',
  update: 'update',
  watch: 'watch',
} as const;

/** The verbs of a storage, as discovery names them. */
export function verbsOf(storage: RestStorage): readonly string[] {
  if (storage.connect !== undefined) return storage.connect.verbs.toSorted();
  return Object.entries(METHOD_OF_VERB)
    .filter(([verb]) => verb !== 'patch' || storage.patchable !== false)
    .filter(([, method]) => {
      return (
        storage[method] !== undefined || (method === 'create' && storage.createNamed !== undefined)
      );
    })
    .map(([verb]) => verb);
}

/** The verbs of a resource itself. Custom resources list them in an order of their own, and fewer while they are deleted. */
export function mainVerbs({ main }: InstalledResource): readonly string[] {
  return main.describe.verbs ?? verbsOf(main);
}

/** Whether a subresource is of a kind of another group or version, such as `scale`. */
export function isForeign(one: ResourceDescription, main: ResourceDescription): boolean {
  return one.group !== main.group || one.version !== main.version;
}

/** The subresources of built-in resources are in the order of their names; custom resources have `status` before `scale`. */
export function inDiscoveryOrder(
  { describe }: RestStorage,
  subresources: InstalledResource['subresources'],
): [string, RestStorage][] {
  const entries = [...subresources];
  if (!BUILT_IN_GROUPS.has(describe.group)) return entries;
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}
