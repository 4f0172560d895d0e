import type { Target } from '../compare/target/target.ts';

/** One resource or subresource of an `APIResourceList`. */
export interface RecordedResource {
  /** `pods`, or `pods/status`. */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Of subresources whose kind belongs to another group or version than the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface RecordedColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** The resources that a server serves of one group and version. */
export interface RecordedVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Of its APIService; undefined for the group of APIServices itself. */
  readonly priorities: { readonly group: number; readonly version: number } | undefined;
  readonly resources: readonly RecordedResource[];
  /** The columns of each resource that can be listed, by its name. */
  readonly columns: ReadonlyMap<string, readonly RecordedColumn[]>;
}

export interface RecordedSurface {
  /** `v1.36.3` */
  readonly serverVersion: string;
  /** In the order of discovery: groups by priority, the preferred version of a group first. */
  readonly versions: readonly RecordedVersion[];
}

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** Its one version has no APIService. */
const AGGREGATOR = 'apiregistration.k8s.io';

/**
 * Reads discovery and the columns of tables from a kube-apiserver. Custom resources and aggregated servers are left out.
 * @throws {Error} When a document cannot be read.
 */
export async function recordSurface(target: Target): Promise<RecordedSurface> {
  const { gitVersion } = await getJson<{ readonly gitVersion: string }>(target, '/version');
  const priorities = await prioritiesOf(target);
  const { groups } = await getJson<GroupList>(target, '/apis');
  const names = groups
    .flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version })))
    .filter(({ group, version }) => group === AGGREGATOR || priorities.has(`${version}.${group}`));
  const versions: RecordedVersion[] = [];
  for (const { group, version } of [{ group: '', version: 'v1' }, ...names]) {
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const { resources } = await getJson<ResourceList>(target, root);
    const columns = new Map<string, readonly RecordedColumn[]>();
    for (const { name, verbs } of resources) {
      if (!verbs.includes('list')) continue;
      const table = await getJson<Table>(target, `${root}/${name}?limit=1`, TABLE);
      columns.set(name, table.columnDefinitions);
    }
    const own = priorities.get(`${version}.${group}`);
    versions.push({ group, version, priorities: own, resources, columns });
  }
  return { serverVersion: gitVersion, versions };
}

interface GroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
  }[];
}

interface ResourceList {
  readonly resources: readonly RecordedResource[];
}

interface Table {
  readonly columnDefinitions: readonly RecordedColumn[];
}

interface ServiceList {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly spec: { readonly groupPriorityMinimum: number; readonly versionPriority: number };
  }[];
}

/** The priorities of each version of the server's own, by the name of its APIService. */
async function prioritiesOf(
  target: Target,
): Promise<Map<string, { readonly group: number; readonly version: number }>> {
  const path = '/apis/apiregistration.k8s.io/v1/apiservices';
  const { items } = await getJson<ServiceList>(target, path);
  // The server registers its own kinds with this value when it starts, and nothing else.
  const own = items.filter(
    ({ metadata }) => metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] === 'onstart',
  );
  return new Map(
    own.map(({ metadata, spec }) => [
      metadata.name,
      { group: spec.groupPriorityMinimum, version: spec.versionPriority },
    ]),
  );
}

async function getJson<T>(target: Target, path: string, accept = 'application/json'): Promise<T> {
  const headers = { accept };
  const answer = await target.send({
    method: 'GET',
    path,
    headers,
    body: undefined,
    anonymous: false,
  });
  if (answer.status === 200) return JSON.parse(answer.bytes.toString()) as T;
  throw new Error(`GET ${path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
}
