import { nearName } from '../../../kernel/text/near-name.ts';
import type { ServedResource } from '../contract/findings.ts';

/** A resource as discovery names it, in the order of preference. */
export interface DiscoveredResource extends ServedResource {
  /** The other names that kubectl takes: singular, short names, kind; in lower case. */
  readonly aliases: readonly string[];
  /** E.g. `list`. */
  readonly verbs: readonly string[];
}

/**
 * Finds a resource by the name that kubectl takes: `pods`, `po`, `deployments.apps`, `deployments.v1.apps`. Without a group,
 * the first group that has it.
 */
export function findResource(
  text: string,
  resources: readonly DiscoveredResource[],
): DiscoveredResource | undefined {
  const [name = '', ...rest] = text.toLowerCase().split('.');
  const group = rest.join('.');
  const [version, ...unversioned] = rest;
  const named = resources.filter((one) => one.resource === name || one.aliases.includes(name));
  if (group === '') return named[0];
  return (
    named.find((one) => one.group === group) ??
    named.find((one) => one.version === version && one.group === unversioned.join('.'))
  );
}

/** The name that was probably meant. */
export function closestResource(
  text: string,
  resources: readonly DiscoveredResource[],
): string | undefined {
  const [name = ''] = text.toLowerCase().split('.');
  // The name may be right and the group wrong.
  const same = resources.find((one) => one.resource === name);
  if (same !== undefined) return resourceName(same);
  const meant = nearName(
    name,
    resources.map((one) => one.resource),
  );
  const found = resources.find((one) => one.resource === meant);
  return found === undefined ? undefined : resourceName(found);
}

/** As in RBAC and kubectl, e.g. `pods` or `deployments.apps`. */
export function resourceName({
  group,
  resource,
}: Pick<ServedResource, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/**
 * The resource that a text names where discovery cannot be asked: `pods` is of the core group, `deployments.v1.apps` has all.
 * Undefined when the version is missing.
 */
export function spelledOut(text: string): ServedResource | undefined {
  const [resource = '', version, ...group] = text.toLowerCase().split('.');
  if (version === undefined) return { group: '', version: 'v1', resource, namespaced: true };
  if (!/^v\d/.test(version) || group.length === 0) return undefined;
  return { group: group.join('.'), version, resource, namespaced: true };
}

/** The path of a collection. */
export function collectionPath(
  { group, version, resource, namespaced }: ServedResource,
  namespace: string | undefined,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope =
    namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${encodeURIComponent(resource)}`;
}

/** E.g. `pods in namespace shop`, `pods in all namespaces` or `nodes`. */
export function collectionText(served: ServedResource, namespace: string | undefined): string {
  const name = resourceName(served);
  if (!served.namespaced) return name;
  return namespace === undefined
    ? `${name} in all namespaces`
    : `${name} in namespace ${namespace}`;
}
