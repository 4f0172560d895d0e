import { ListwatchError } from '../kernel/failure/errors.ts';

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** The description of a resource type that client and server share. */
export interface ResourceInfo extends GroupVersionKind {
  /** Lower-case plural, as in URLs: `deployments`. */
  readonly resource: string;
  readonly namespaced: boolean;
}

/**
 * Parses `v1` or `apps/v1`.
 * @throws {ListwatchError} code INVALID_API_VERSION.
 */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const parts = apiVersion.split('/');
  if (parts.some((part) => part === '') || parts.length > 2) {
    throw new ListwatchError(
      'INVALID_API_VERSION',
      `${JSON.stringify(apiVersion)} is not an apiVersion: expected VERSION or GROUP/VERSION`,
    );
  }
  return parts.length === 1
    ? { group: '', version: apiVersion }
    : { group: parts[0] as string, version: parts[1] as string };
}

/** `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `pods` or `deployments.apps`: the name of a resource in messages. */
export function groupResource({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export interface ResourcePathOptions {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The URL path of a collection, an object or a subresource, e.g. `/apis/apps/v1/namespaces/shop/deployments/web/status`.
 * @throws {ListwatchError} code INVALID_OPTION for a name or namespace that would lead to another path.
 */
export function resourcePath(
  { group, version, resource }: Pick<ResourceInfo, 'group' | 'version' | 'resource'>,
  { namespace, name, subresource }: ResourcePathOptions = {},
): string {
  let path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace !== undefined && namespace !== '')
    path += `/namespaces/${pathSegment('namespace', namespace)}`;
  path += `/${resource}`;
  if (name !== undefined) path += `/${pathSegment('name', name)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}

/** Half of a surrogate pair, which a URL cannot contain. */
const LONE_SURROGATE = /\p{Cs}/u;

/** An empty name would address the whole collection, and a dot segment another path. */
function pathSegment(what: string, text: string): string {
  if (text !== '' && text !== '.' && text !== '..' && !LONE_SURROGATE.test(text)) {
    return encodeURIComponent(text);
  }
  throw new ListwatchError(
    'INVALID_OPTION',
    `${JSON.stringify(text)} cannot be a ${what} in a path`,
  );
}
