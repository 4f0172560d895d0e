/** A resource as discovery names it. */
export interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
}

/** A group with its versions, newest first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly {
    readonly version: string;
    /** Undefined if the document does not have them. */
    readonly resources?: readonly ServedResource[] | undefined;
  }[];
}

type Fields = Readonly<Record<string, unknown>>;

// The documents come from a server that may be none, so each field is checked.

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Reads an APIResourceList; undefined for anything else. */
export function readResources(document: unknown): readonly ServedResource[] | undefined {
  const { kind, resources } = fieldsOf(document);
  if (kind !== 'APIResourceList') return undefined;
  const all = listOf(resources);
  const names = all.map(({ name }) => textOf(name));
  return all.flatMap((one) => {
    const name = textOf(one['name']);
    if (name === '' || name.includes('/')) return [];
    const prefix = `${name}/`;
    const own = names.filter((other) => other.startsWith(prefix));
    return [
      {
        name,
        kind: textOf(one['kind']),
        singular: textOf(one['singularName']),
        namespaced: one['namespaced'] === true,
        verbs: textsOf(one['verbs']),
        shortNames: textsOf(one['shortNames']),
        subresources: own.map((other) => other.slice(prefix.length)),
      },
    ];
  });
}

/** Reads an APIGroupDiscoveryList, which has all resources of all groups; undefined for anything else. */
export function readGroupDiscovery(document: unknown): readonly ServedGroup[] | undefined {
  const { kind, items } = fieldsOf(document);
  if (kind !== 'APIGroupDiscoveryList') return undefined;
  return listOf(items).map(({ metadata, versions }) => ({
    name: textOf(fieldsOf(metadata)['name']),
    versions: listOf(versions).map(({ version, resources }) => ({
      version: textOf(version),
      resources: listOf(resources).map(readDiscovered),
    })),
  }));
}

function readDiscovered(one: Fields): ServedResource {
  return {
    name: textOf(one['resource']),
    kind: textOf(fieldsOf(one['responseKind'])['kind']),
    singular: textOf(one['singularResource']),
    namespaced: one['scope'] === 'Namespaced',
    verbs: textsOf(one['verbs']),
    shortNames: textsOf(one['shortNames']),
    subresources: listOf(one['subresources']).map(({ subresource }) => textOf(subresource)),
  };
}

/** Reads an APIGroupList or the APIVersions of the core group; undefined for anything else. */
export function readGroups(document: unknown): readonly ServedGroup[] | undefined {
  const { kind, groups, versions } = fieldsOf(document);
  if (kind === 'APIVersions')
    return [{ name: '', versions: textsOf(versions).map((version) => ({ version })) }];
  if (kind !== 'APIGroupList') return undefined;
  return listOf(groups).map(({ name, versions: served }) => ({
    name: textOf(name),
    versions: listOf(served).map(({ version }) => ({ version: textOf(version) })),
  }));
}
