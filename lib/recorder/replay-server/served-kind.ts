import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { parseApiVersion } from '../../meta/resource.ts';
import { defineKind, type KindDefinition } from '../../server/registry/contract/kind-definition.ts';
import { builtInDefinitions } from '../../kinds/built-in-definitions.ts';

/** A recording says `deployments.apps in namespace shop`: the plural, the group, and what was selected. */
const COLLECTION = /^([a-z0-9-]+)(?:\.([a-z0-9.-]+))?(?=$|[ ,])(?: in namespace )?/;
/** Of a recording of metadata alone: the objects do not say of which kind they are. */
const BARE = 'PartialObjectMetadata';

/**
 * The kind of a recorded collection. A kind that Kubernetes defines is known by its name; the objects say the version, and the kind of a
 * custom resource.
 * @throws {ListwatchError} code INVALID_OPTION for a collection without a name, and for a custom one without an object.
 */
export function servedKind(collection: string, objects: Iterable<ObjectView>): KindDefinition {
  const [, resource, group = ''] = COLLECTION.exec(collection) ?? [];
  if (resource === undefined) {
    throw refused(collection, 'its description does not begin with the plural of a resource');
  }
  const first = firstTyped(objects);
  const version = first && parseApiVersion(first.apiVersion).version;
  const builtIn = builtInDefinitions().filter(
    ({ describe }) => describe.resource === resource && describe.group === group,
  );
  const known = builtIn.find(({ describe }) => describe.version === version) ?? builtIn[0];
  if (known !== undefined) return known;
  if (first === undefined) {
    throw refused(collection, 'no object in it says the version and the kind of this resource');
  }
  return defineKind({
    ...parseApiVersion(first.apiVersion),
    kind: first.kind,
    resource,
    namespaced: first.namespaced || collection.includes(' in namespace '),
  });
}

/** A resource whose version is known. */
export interface ServedResource {
  readonly apiVersion: string;
  readonly resource: string;
  /** As an answer without objects has named it. */
  readonly itemKind: string | undefined;
  /** Whether it was read in a namespace. */
  readonly namespaced: boolean;
}

/** The kind of a resource whose version is known. What no answer has named, is named after the plural. */
export function kindOfResource(
  { apiVersion, resource, itemKind, namespaced }: ServedResource,
  objects: Iterable<ObjectView>,
): KindDefinition {
  const { group, version } = parseApiVersion(apiVersion);
  const known = builtInDefinitions().find(
    ({ describe }) =>
      describe.resource === resource && describe.group === group && describe.version === version,
  );
  if (known !== undefined) return known;
  const first = firstTyped(objects);
  const named = itemKind === BARE ? undefined : itemKind;
  return defineKind({
    group,
    version,
    kind: first?.kind ?? named ?? kindAfter(resource),
    resource,
    namespaced: namespaced || (first?.namespaced ?? true),
  });
}

function kindAfter(plural: string): string {
  const singular = plural.replace(/ies$/, 'y').replace(/(?<=s|x|ch)es$|(?<!s)s$/, '');
  return singular.charAt(0).toUpperCase() + singular.slice(1);
}

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

function firstTyped(objects: Iterable<ObjectView>): Typed | undefined {
  for (const view of objects) {
    const { apiVersion, kind, metadata } = view.object ?? {};
    if (apiVersion === undefined || kind === undefined || kind === BARE) continue;
    return { apiVersion, kind, namespaced: metadata?.namespace !== undefined };
  }
  return undefined;
}

function refused(collection: string, problem: string): ListwatchError {
  const text = `the recording of ${JSON.stringify(collection)} cannot be served: ${problem}`;
  return new ListwatchError('INVALID_OPTION', text);
}
