import type { AccessUsed, NeededAccess } from './needed-access.ts';

/** A rule as a manifest has it. */
export interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** Left out: objects of any name. */
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** A ClusterRole, or the Role of a namespace. */
export interface NeededRole {
  /** Undefined: a ClusterRole. */
  readonly namespace: string | undefined;
  readonly rules: readonly RoleRule[];
}

export interface RoleOptions {
  /** The namespace in which the program runs. */
  readonly namespace: string;
  /** Resources such as `leases.coordination.k8s.io` whose rules have the names that were used. */
  readonly named: ReadonlySet<string>;
  /** Whether objects of a resource are in namespaces. Only asked for those that were never used in one. */
  readonly isNamespaced: (access: NeededAccess) => boolean;
}

/** A program that uses more names of a resource computes them. */
const MOST_NAMES = 10;
const VERBS: readonly string[] = 'get list watch create update patch delete deletecollection'.split(
  ' ',
);

/**
 * The roles with just the rights that were used.
 *
 * - A program that reads a resource in all namespaces writes where its objects are: everything it uses is in one ClusterRole, but for its
 *   leases, which are in the Role of its own namespace.
 * - Otherwise each namespace has its Role, and the ClusterRole has what is in no namespace.
 */
export function rolesFor(used: AccessUsed, options: RoleOptions): readonly NeededRole[] {
  const isEverywhere = used.resources.some(
    (access) => namespaceOf(access) === '' && options.isNamespaced(access),
  );
  const outside = outsideOf(used.resources, options.namespace);
  const byRole = groupBy(used.resources, (access) => {
    const isOwn = access.group === 'coordination.k8s.io' && !outside.has(nameOf(access));
    return isEverywhere && !isOwn ? '' : namespaceOf(access);
  });
  const paths = pathRules(used.paths);
  if (paths.length > 0 && !byRole.has('')) byRole.set('', []);
  return [...byRole]
    .toSorted(([one], [other]) => compare(one, other))
    .map(([namespace, accesses]) => ({
      namespace: namespace === '' ? undefined : namespace,
      rules: [...rulesFor(accesses, options.named), ...(namespace === '' ? paths : [])],
    }));
}

/** Resources that were used elsewhere than in the namespace of the program. */
function outsideOf(accesses: readonly NeededAccess[], own: string): ReadonlySet<string> {
  return new Set(accesses.filter((access) => namespaceOf(access) !== own).map(nameOf));
}

/** A namespace is in no namespace, although its requests are. */
function namespaceOf({ group, resource, namespace }: NeededAccess): string {
  return group === '' && /^namespaces(?:\/|$)/.test(resource) ? '' : namespace;
}

/** As `--names` takes it: `leases.coordination.k8s.io`, `secrets`. */
export function nameOf({ group, resource }: Pick<NeededAccess, 'group' | 'resource'>): string {
  const [plural = ''] = resource.split('/');
  return group === '' ? plural : `${plural}.${group}`;
}

function rulesFor(
  accesses: readonly NeededAccess[],
  named: ReadonlySet<string>,
): readonly RoleRule[] {
  /** By group, resource and names. */
  const verbs = new Map<string, { access: NeededAccess; names: string[]; verbs: Set<string> }>();
  for (const [resource, ofResource] of groupBy(accesses, ({ group, resource }) =>
    JSON.stringify([group, resource]),
  )) {
    const names = namesOf(ofResource, named);
    for (const access of ofResource) {
      const own = access.name === '' ? [] : names;
      const key = `${resource} ${own.join(' ')}`;
      const row = verbs.get(key) ?? { access, names: own, verbs: new Set() };
      row.verbs.add(access.verb);
      verbs.set(key, row);
    }
  }
  const rows = [...verbs.values()].map((row) => ({ ...row, verbs: inOrder(row.verbs) }));
  // Resources of a group with the same verbs share a rule.
  return [
    ...groupBy(rows, ({ access, names, verbs }) => JSON.stringify([access.group, verbs, names])),
  ]
    .map(([, same]) => ruleOf(same))
    .toSorted((one, other) => compare(sortKey(one), sortKey(other)));
}

function ruleOf(
  rows: readonly { access: NeededAccess; names: string[]; verbs: readonly string[] }[],
): RoleRule {
  const [{ access, names, verbs }] = rows as readonly [(typeof rows)[number]];
  return {
    apiGroups: [access.group],
    resources: rows.map((row) => row.access.resource).toSorted(compare),
    ...(names.length === 0 ? {} : { resourceNames: names }),
    verbs,
  };
}

/** The names of a resource whose rules have names; empty for others, and for one with too many. */
function namesOf(accesses: readonly NeededAccess[], named: ReadonlySet<string>): string[] {
  const [first] = accesses;
  if (first === undefined || !named.has(nameOf(first))) return [];
  const names = new Set(accesses.map(({ name }) => name).filter((name) => name !== ''));
  return names.size > MOST_NAMES ? [] : [...names].toSorted(compare);
}

function pathRules(paths: AccessUsed['paths']): readonly RoleRule[] {
  return [...groupBy(paths, ({ verb }) => verb)].map(([verb, same]) => ({
    nonResourceURLs: same.map(({ path }) => path).toSorted(compare),
    verbs: [verb],
  }));
}

function inOrder(verbs: ReadonlySet<string>): readonly string[] {
  const rank = (verb: string): number => (VERBS.includes(verb) ? VERBS.indexOf(verb) : 99);
  return [...verbs].toSorted((one, other) => rank(one) - rank(other) || compare(one, other));
}

function sortKey({ apiGroups = [], resources = [], resourceNames = [] }: RoleRule): string {
  return [apiGroups, resources, resourceNames].map((texts) => texts.join(',')).join(' ');
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The same in every locale. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
