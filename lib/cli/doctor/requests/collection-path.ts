import { groupResource } from '../../../meta/resource.ts';
import type { ServedResource } from '../contract/findings.ts';

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
  const name = groupResource(served);
  if (!served.namespaced) return name;
  return namespace === undefined
    ? `${name} in all namespaces`
    : `${name} in namespace ${namespace}`;
}
