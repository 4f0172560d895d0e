import { apiVersionOf, type GroupVersion } from '../../meta/resource.ts';
import type {
  InstalledResource,
  ResourceRegistry,
  RestStorage,
} from '../registry/contract/rest-storage.ts';

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

/** The registry's resources in the order of discovery and OpenAPI: by group, then by version. */
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
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .toSorted(([left], [right]) => compareVersionNames(left, right))
      .map(([version, resources]) => ({
        group,
        version,
        apiVersion: apiVersionOf({ group, version }),
        resources,
      })),
  }));
}

const VERSION = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/;
const STABILITY = ['alpha', 'beta', undefined];

/**
 * Orders version names, preferred first: stable before beta before alpha, higher numbers first, other names last.
 * @see apimachinery pkg/version/helpers.go CompareKubeAwareVersionStrings @ eed236c
 */
export function compareVersionNames(left: string, right: string): number {
  const a = VERSION.exec(left);
  const b = VERSION.exec(right);
  if (a === null || b === null) {
    if (a === null && b === null) return left < right ? -1 : Number(left > right);
    return a === null ? 1 : -1;
  }
  return (
    STABILITY.indexOf(b[2]) - STABILITY.indexOf(a[2]) ||
    Number(b[1]) - Number(a[1]) ||
    Number(b[3] ?? 0) - Number(a[3] ?? 0)
  );
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
export function verbsOf(storage: RestStorage): string[] {
  if (storage.connect !== undefined) return storage.connect.verbs.toSorted();
  return Object.entries(METHOD_OF_VERB)
    .filter(([, method]) => {
      return (
        storage[method] !== undefined || (method === 'create' && storage.createNamed !== undefined)
      );
    })
    .map(([verb]) => verb);
}
