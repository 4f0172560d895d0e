import type { UnstructuredObject } from '../../meta/object.ts';
import {
  NEWEST_MINOR,
  textOfMinor,
  type KubernetesMinor,
} from '../../meta/releases/kubernetes-releases.ts';
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

/** The roles and bindings, by resource. */
export type BootstrapPolicy = Readonly<
  Record<
    'clusterroles' | 'roles' | 'clusterrolebindings' | 'rolebindings',
    readonly UnstructuredObject[]
  >
>;

/** By minor version of Kubernetes. */
const parsed = new Map<KubernetesMinor, BootstrapPolicy>();

/**
 * The recorded roles and bindings. All servers of a process share the objects, whose fields are in the order of the storage.
 * @see plugin/pkg/auth/authorizer/rbac/bootstrappolicy @ v1.36.3
 */
export function bootstrapPolicy(minor: KubernetesMinor = NEWEST_MINOR): BootstrapPolicy {
  let policy = parsed.get(minor);
  if (policy === undefined) {
    policy = parsedPolicy(minor);
    parsed.set(minor, policy);
  }
  return policy;
}

function parsedPolicy(minor: KubernetesMinor): BootstrapPolicy {
  const [clusterroles, roles, clusterrolebindings, rolebindings] = (
    ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const
  ).map((resource) => textOfMinor(BOOTSTRAP_POLICY[resource], minor)) as [
    string,
    string,
    string,
    string,
  ];
  return {
    clusterroles: rolesIn('ClusterRole', clusterroles),
    roles: rolesIn('Role', roles),
    clusterrolebindings: linesOf(clusterrolebindings).map((line) => bindingIn('ClusterRole', line)),
    rolebindings: linesOf(rolebindings).map((line) => bindingIn('Role', line)),
  };
}

function linesOf(text: string): string[] {
  return text.trim().split('\n');
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
