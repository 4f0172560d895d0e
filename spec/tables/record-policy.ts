import type { UnstructuredObject } from '../../lib/meta/object.ts';
import type { Target } from '../compare/target/target.ts';

/** The lines of `BOOTSTRAP_POLICY`, which explains their notation. */
export type PolicyLines = Readonly<
  Record<'clusterroles' | 'roles' | 'clusterrolebindings' | 'rolebindings', readonly string[]>
>;

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Role extends UnstructuredObject {
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels: Record<string, string> }[];
  };
}

interface Binding extends UnstructuredObject {
  readonly roleRef: { readonly name: string };
  readonly subjects?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }[];
}

const AGGREGATE = /\/aggregate-to-(.*)$/;
const CONTROLLER = 'system:controller:';
const EVENTS = 'create,patch,update -,events.k8s.io events';

/** Reads the roles and bindings that a new kube-apiserver makes. @throws {Error} When they cannot be read. */
export async function recordPolicy(target: Target): Promise<PolicyLines> {
  const [clusterroles, roles, clusterrolebindings, rolebindings] = [
    await itemsOf<Role>(target, 'clusterroles'),
    await itemsOf<Role>(target, 'roles'),
    await itemsOf<Binding>(target, 'clusterrolebindings'),
    await itemsOf<Binding>(target, 'rolebindings'),
  ];
  return {
    clusterroles: clusterroles.flatMap(roleLines),
    roles: roles.flatMap(roleLines),
    clusterrolebindings: clusterrolebindings.map(bindingLine),
    rolebindings: rolebindings.map(bindingLine),
  };
}

async function itemsOf<T>(target: Target, resource: string): Promise<readonly T[]> {
  const { status, bytes } = await target.send({
    method: 'GET',
    path: `/apis/rbac.authorization.k8s.io/v1/${resource}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`,
    headers: { accept: 'application/json' },
    body: undefined,
    anonymous: false,
  });
  if (status !== 200) throw new Error(`${resource}: ${status} ${bytes.toString().slice(0, 300)}`);
  return (JSON.parse(bytes.toString()) as { readonly items: readonly T[] }).items;
}

function pathOf({ metadata }: UnstructuredObject): string {
  const { name = '', namespace } = metadata ?? {};
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function roleLines(role: Role): string[] {
  const labels = Object.keys(role.metadata?.labels ?? {});
  const selected = (role.aggregationRule?.clusterRoleSelectors ?? []).flatMap(({ matchLabels }) =>
    Object.keys(matchLabels),
  );
  const marks = [...endings(labels, '>'), ...endings(selected, '<')];
  // The rules of an aggregated role are those of the roles that it selects.
  const rules = selected.length > 0 ? [] : (role.rules ?? []);
  return [[pathOf(role), ...marks].join(' '), ...rules.map((rule) => ` ${ruleLine(rule)}`)];
}

function endings(labels: readonly string[], mark: string): string[] {
  return labels.flatMap((label) => {
    const ending = AGGREGATE.exec(label)?.[1];
    return ending === undefined ? [] : [`${mark}${ending}`];
  });
}

function ruleLine({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  const parts = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  const line = parts.flatMap((part) => (part === undefined ? [] : [words(part)])).join(' ');
  return line === EVENTS ? '!' : line;
}

function words(list: readonly string[]): string {
  const text = list.map((word) => (word === '' ? '-' : word)).join(',');
  if (text === 'get,list,watch') return 'R';
  return text === 'create,delete,deletecollection,patch,update' ? 'W' : text;
}

function bindingLine(binding: Binding): string {
  const path = pathOf(binding);
  const { name } = binding.roleRef;
  const subjects = (binding.subjects ?? []).map((one) =>
    one.kind === 'ServiceAccount'
      ? `${one.namespace}/${one.name}`
      : `${one.kind === 'User' ? '@' : ''}${one.name}`,
  );
  const account = path.startsWith(CONTROLLER) ? path.slice(CONTROLLER.length) : undefined;
  if (account !== undefined && name === path && subjects.join(' ') === `kube-system/${account}`) {
    return `${account} *`;
  }
  const own = binding.metadata?.name === name;
  return [own ? path : `${path}=${name}`, ...subjects].join(' ');
}
