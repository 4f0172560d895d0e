import type { ObjectMeta, UnstructuredObject } from '../../../meta/object.ts';
import { isAlreadyExists, isNotFound } from '../../../meta/failure/failures.ts';
import type { ObjectStore } from '../contract/object-store.ts';
import { serverContext } from '../contract/server-context.ts';
import type { ServerParts } from '../contract/subresource-parts.ts';
import { BOOTSTRAP_POLICY } from './bootstrap-policy-text.ts';

const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;
const AGGREGATE = `${GROUP}/aggregate-to-`;
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const EVENTS = {
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'patch', 'update'],
};
const CONTROLLER = 'system:controller:';

/** A resource of RBAC, and its objects at the start of every server. */
export interface BootstrapPolicy {
  readonly resource: 'clusterroles' | 'roles' | 'clusterrolebindings' | 'rolebindings';
  readonly objects: readonly UnstructuredObject[];
}

/**
 * Creates those roles and bindings that are missing; others stay as they are. Kinds that are not served are left out.
 * @throws {ApiError} when the storage fails.
 * @see plugin/pkg/auth/authorizer/rbac/bootstrappolicy @ v1.36.3
 */
export async function createBootstrapPolicy({ storeOf }: ServerParts): Promise<void> {
  const create = async ({ resource, objects }: BootstrapPolicy): Promise<void> => {
    const store = storeOf(GROUP, resource);
    if (store === undefined) return;
    const missing = (await isFresh(store, objects[0])) ? objects : await missingOf(store, objects);
    await Promise.all(
      missing.map(async (object) => {
        try {
          await store.seed(object);
        } catch (error) {
          // Another server on the same store has been faster, or the store is not fresh.
          if (!isAlreadyExists(error)) throw error;
        }
      }),
    );
  };
  await Promise.all(bootstrapPolicy().map(create));
}

/** Whether the first object is missing. A read of one object starts no watch cache, unlike a list. */
async function isFresh(
  store: ObjectStore,
  { metadata }: UnstructuredObject = {},
): Promise<boolean> {
  const { namespace = '', name = '' } = metadata ?? {};
  try {
    await store.get(serverContext(namespace), name);
    return false;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return true;
  }
}

async function missingOf(
  store: ObjectStore,
  objects: readonly UnstructuredObject[],
): Promise<readonly UnstructuredObject[]> {
  const { items } = await store.list(serverContext(''));
  const present = new Set(items.map(({ metadata }) => pathOf(metadata)));
  return objects.filter(({ metadata }) => !present.has(pathOf(metadata)));
}

function pathOf({ namespace = '', name = '' }: ObjectMeta = {}): string {
  return `${namespace}/${name}`;
}

let parsed: readonly BootstrapPolicy[] | undefined;

/** The recorded roles and bindings. All servers of a process share the objects, whose fields are in the order of the storage. */
export function bootstrapPolicy(): readonly BootstrapPolicy[] {
  parsed ??= parsedPolicy();
  return parsed;
}

function parsedPolicy(): readonly BootstrapPolicy[] {
  const { clusterroles, roles, clusterrolebindings, rolebindings } = BOOTSTRAP_POLICY;
  return [
    { resource: 'clusterroles', objects: rolesIn('ClusterRole', clusterroles) },
    { resource: 'roles', objects: rolesIn('Role', roles) },
    {
      resource: 'clusterrolebindings',
      objects: linesOf(clusterrolebindings).map((line) => bindingIn('ClusterRole', line)),
    },
    {
      resource: 'rolebindings',
      objects: linesOf(rolebindings).map((line) => bindingIn('Role', line)),
    },
  ];
}

function linesOf(text: string): string[] {
  return text.slice(1).split('\n');
}

function rolesIn(kind: string, text: string): UnstructuredObject[] {
  const found: UnstructuredObject[] = [];
  let rules: object[] = [];
  for (const line of linesOf(text)) {
    if (line.startsWith(' ')) {
      rules.push(ruleIn(line.slice(1)));
      continue;
    }
    const [name = '', ...marks] = line.split(' ');
    const ending = (mark: string): string[] =>
      marks.filter((one) => one.startsWith(mark)).map((one) => `${AGGREGATE}${one.slice(1)}`);
    const selected = ending('<');
    rules = [];
    found.push({
      ...objectOf(kind, name, Object.fromEntries(ending('>').map((label) => [label, 'true']))),
      ...(selected.length === 0
        ? { rules }
        : { aggregationRule: aggregationOf(selected), rules: null }),
    });
  }
  return found;
}

function aggregationOf(labels: readonly string[]): object {
  return {
    clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })),
  };
}

function ruleIn(line: string): object {
  if (line === '!') return EVENTS;
  const [verbs = [], groups = [], resources, names] = line.split(' ').map(wordsOf);
  if (resources === undefined) return { nonResourceURLs: groups, verbs };
  if (names === undefined) return { apiGroups: groups, resources, verbs };
  return { apiGroups: groups, resourceNames: names, resources, verbs };
}

function wordsOf(text: string): readonly string[] {
  if (text === 'R') return READ;
  if (text === 'W') return WRITE;
  return text.split(',').map((word) => (word === '-' ? '' : word));
}

function bindingIn(roleKind: string, line: string): UnstructuredObject {
  const [head = '', ...subjects] = line.split(' ');
  const [full = '', role] = head.split('=');
  const short = subjects[0] === '*';
  const name = short ? `${CONTROLLER}${full}` : full;
  const object = objectOf(`${roleKind}Binding`, name, {});
  return {
    ...object,
    roleRef: { apiGroup: GROUP, kind: roleKind, name: role ?? object.metadata?.name ?? '' },
    ...(subjects.length === 0
      ? {}
      : { subjects: (short ? [`kube-system/${full}`] : subjects).map(subjectIn) }),
  };
}

function subjectIn(text: string): object {
  const slash = text.indexOf('/');
  if (slash > 0) {
    return {
      kind: 'ServiceAccount',
      name: text.slice(slash + 1),
      namespace: text.slice(0, slash),
    };
  }
  const isUser = text.startsWith('@');
  return { apiGroup: GROUP, kind: isUser ? 'User' : 'Group', name: isUser ? text.slice(1) : text };
}

function objectOf(
  kind: string,
  path: string,
  labels: Readonly<Record<string, string>>,
): UnstructuredObject {
  const slash = path.indexOf('/');
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      annotations: ANNOTATIONS,
      labels: { ...LABELS, ...labels },
      name: path.slice(slash + 1),
      ...(slash < 0 ? {} : { namespace: path.slice(0, slash) }),
    },
  };
}
