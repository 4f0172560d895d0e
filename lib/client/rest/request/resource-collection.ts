import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { type CollectionOptions, describeCollection } from '../../../meta/collection-options.ts';
import { type ApiCall, type ApiVerb, quotedName } from '../../../meta/api-call.ts';
import { parseApiVersion, resourcePath, type ResourcePathOptions } from '../../../meta/resource.ts';
import type { DeleteCollectionOptions, DeleteOptions } from './resource-options.ts';

const GROUP_OR_VERSION = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const RESOURCE = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** One resource in one API version: builds the URL paths below it and names it in messages. */
export class ResourceCollection {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in URLs. */
  readonly resource: string;

  /** @throws {ListwatchError} code INVALID_API_VERSION or INVALID_OPTION. */
  constructor(apiVersion: string, resource: string) {
    const { group, version } = parseApiVersion(apiVersion);
    const wellFormed =
      GROUP_OR_VERSION.test(version) && (group === '' || GROUP_OR_VERSION.test(group));
    if (!wellFormed) {
      throw new ListwatchError(
        'INVALID_API_VERSION',
        `${JSON.stringify(apiVersion)} is not an apiVersion: expected lower-case letters, digits, "-" and "."`,
      );
    }
    if (!RESOURCE.test(resource)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${quotedName(resource)} is not a resource: expected the lower-case plural, such as "${pluralOf(resource)}"`,
      );
    }
    this.apiVersion = apiVersion;
    this.group = group;
    this.version = version;
    this.resource = resource;
  }

  /** @throws {ListwatchError} code INVALID_OPTION for a name or namespace that would change the path. */
  path(options: ResourcePathOptions = {}): string {
    const { namespace, name, subresource } = options;
    if (namespace !== undefined && namespace !== '') checkSegment('namespace', namespace);
    if (name !== undefined) checkSegment('name', name);
    if (subresource !== undefined && !RESOURCE.test(subresource)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${JSON.stringify(subresource)} is not a subresource`,
      );
    }
    return resourcePath(this, options);
  }

  /** The description of a call for errors. Empty texts count as left out. */
  call(verb: ApiVerb, { namespace, name, subresource }: ResourcePathOptions = {}): ApiCall {
    const { group, version, resource } = this;
    return {
      verb,
      group,
      version,
      resource,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === undefined || namespace === '' ? {} : { namespace }),
      ...(name === undefined || name === '' ? {} : { name }),
    };
  }

  /** E.g. `deployments.apps in namespace shop with labels app=web`. */
  describe(options: CollectionOptions): string {
    return describeCollection(this, options);
  }
}

/** The resource of a kind that was given in its place. */
function pluralOf(kind: string): string {
  if (!/^[A-Za-z]{2,60}$/.test(kind)) return 'pods';
  const singular = kind.toLowerCase();
  if (singular.endsWith('y')) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|ch)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/**
 * Dots and slashes in a name would address another object, or another resource.
 * @see apimachinery api/validation/path/name.go IsValidPathSegmentName @ eed236c
 */
function checkSegment(what: string, value: string): void {
  const problem =
    value === ''
      ? 'it is empty; give the name of one'
      : value === '.' || value === '..'
        ? 'it is a dot segment; give a name'
        : /[/%]/.test(value)
          ? 'it has a "/" or "%"; give namespace and name apart'
          : undefined;
  if (problem === undefined) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${JSON.stringify(value)} cannot be a ${what}: ${problem}`,
  );
}

/** The `DeleteOptions` that a deletion sends. */
export function deleteBody(options: DeleteOptions | DeleteCollectionOptions): object {
  const { propagationPolicy, gracePeriodSeconds, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: 'preconditions' in options ? options.preconditions : undefined,
    propagationPolicy,
    gracePeriodSeconds,
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}
