export interface ServedSubresource {
  /** E.g. `scale`. */
  readonly name: string;
  readonly kind: string;
  /** Group and version of its kind; empty where they are those of the resource. */
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
}

/** A resource as discovery names it. */
export interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ServedSubresource[];
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly {
    readonly version: string;
    /** Undefined if the document does not have them. */
    readonly resources?: readonly ServedResource[] | undefined;
    /** The server behind this version does not answer: the resources may be old or missing. */
    readonly isStale?: boolean | undefined;
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
  const subresources = new Map<string, ServedSubresource[]>();
  for (const one of all) {
    const [resource = '', name = ''] = textOf(one['name']).split('/');
    if (name === '') continue;
    const { kind, group, version, verbs } = one;
    const found = { name, ...kindOf({ kind, group, version }), verbs: textsOf(verbs) };
    const own = subresources.get(resource);
    if (own === undefined) subresources.set(resource, [found]);
    else own.push(found);
  }
  return all.flatMap((one) => {
    const name = textOf(one['name']);
    if (name === '' || name.includes('/')) return [];
    return [
      {
        name,
        kind: textOf(one['kind']),
        singular: textOf(one['singularName']),
        namespaced: one['namespaced'] === true,
        verbs: textsOf(one['verbs']),
        shortNames: textsOf(one['shortNames']),
        categories: textsOf(one['categories']),
        subresources: subresources.get(name) ?? [],
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
    versions: listOf(versions).map(({ version, resources, freshness }) => ({
      version: textOf(version),
      resources: listOf(resources).map(readDiscovered),
      isStale: freshness === 'Stale',
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
    categories: textsOf(one['categories']),
    subresources: listOf(one['subresources']).map(({ subresource, responseKind, verbs }) => ({
      name: textOf(subresource),
      ...kindOf(fieldsOf(responseKind)),
      verbs: textsOf(verbs),
    })),
  };
}

function kindOf({ group, version, kind }: Fields): Omit<ServedSubresource, 'name' | 'verbs'> {
  return { group: textOf(group), version: textOf(version), kind: textOf(kind) };
}

/** Reads an APIGroupList or the APIVersions of the core group; undefined for anything else. */
export function readGroups(document: unknown): readonly ServedGroup[] | undefined {
  const { kind, groups, versions } = fieldsOf(document);
  if (kind === 'APIVersions')
    return [{ name: '', versions: textsOf(versions).map((version) => ({ version })) }];
  if (kind !== 'APIGroupList') return undefined;
  return listOf(groups).map(({ name, versions: served, preferredVersion }) => {
    const preferred = textOf(fieldsOf(preferredVersion)['version']);
    const all = listOf(served).map(({ version }) => textOf(version));
    const ordered = all.includes(preferred) ? [...new Set([preferred, ...all])] : all;
    return { name: textOf(name), versions: ordered.map((version) => ({ version })) };
  });
}
