import type { ResourceRegistry, RestStorage } from '../../registry/contract/rest-storage.ts';
import type { RecordedOperations } from './open-api-archive.ts';

/** A path below a group and version, e.g. `/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`. */
interface ResourcePath {
  readonly group: string;
  readonly version: string;
  /** Undefined for the list of resources itself. */
  readonly resource: string | undefined;
  readonly subresource: string | undefined;
}

/** Undefined for a path without a version, such as `/apis/apps/` or `/version/`. */
export function parseTemplatePath(path: string): ResourcePath | undefined {
  const [root, ...below] = path.split('/').filter((segment) => segment !== '');
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : below.shift();
  const version = below.shift();
  if (group === undefined || version === undefined) return undefined;
  if (below[0] === 'watch') below.shift();
  if (below[0] === 'namespaces' && below[1] === '{namespace}' && below.length > 2) {
    below.splice(0, 2);
  }
  const [resource, , subresource] = below;
  return { group, version, resource, subresource };
}

/** The methods of a storage of which an action of OpenAPI needs one; an action that is not here needs only the storage. */
const METHODS: Readonly<Record<string, readonly (keyof RestStorage)[]>> = {
  get: ['get', 'connect'],
  list: ['list'],
  watch: ['watch'],
  watchlist: ['watch'],
  post: ['create', 'createNamed', 'connect'],
  put: ['update'],
  patch: ['update'],
  delete: ['delete'],
  deletecollection: ['deleteCollection'],
};

/** Whether a storage supports an action of OpenAPI. */
export function supports(storage: RestStorage, action: string): boolean {
  return METHODS[action]?.some((method) => storage[method] !== undefined) ?? true;
}

/** Whether a server with this registry serves an operation. */
export type IsServed = (path: string, action: string) => boolean;

/** @param withoutPaths paths besides resources that the server does not have */
export function servedBy(registry: ResourceRegistry, withoutPaths: readonly string[]): IsServed {
  const absent = new Set(withoutPaths.map((path) => `${path}/`));
  const groups = new Set<string>();
  for (const { main } of registry.all()) {
    const { group, version } = main.describe;
    groups.add(group).add(`${group}/${version}`);
  }
  return (path, action) => {
    const parsed = parseTemplatePath(path);
    if (parsed === undefined) return !absent.has(path) && isServedRoot(path, groups);
    const { group, version, resource, subresource } = parsed;
    if (resource === undefined) return groups.has(`${group}/${version}`);
    const installed = registry.lookup(group, version, resource);
    const storage =
      subresource === undefined ? installed?.main : installed?.subresources.get(subresource);
    return storage !== undefined && supports(storage, action);
  };
}

/** Of the paths of groups, only those of served ones. */
function isServedRoot(path: string, groups: ReadonlySet<string>): boolean {
  const group = /^\/apis\/([^/]+)\/$/.exec(path)?.[1];
  if (group !== undefined) return groups.has(group);
  return path !== '/api/' || groups.has('');
}

/** Whether all operations of a document are served. */
export function allServed(operations: RecordedOperations, isServed: IsServed): boolean {
  return Object.entries(operations).every(([path, methods]) =>
    Object.values(methods).every((action) => isServed(path, action)),
  );
}

/** Whether any operation of a document is served. */
export function anyServed(operations: RecordedOperations, isServed: IsServed): boolean {
  return Object.entries(operations).some(([path, methods]) =>
    Object.values(methods).some((action) => isServed(path, action)),
  );
}
