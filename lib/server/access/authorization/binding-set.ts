import { serviceAccountName, type UserInfo } from '../../registry/contract/user-info.ts';
import { recordAt, recordsAt, textAt } from '../../../meta/json-value.ts';

/** A user, group or service account of a binding. */
interface Subject {
  /** The users that it means: `u` and a user name, or `g` and a group. */
  readonly key: string;
  /** Its form in the reason of a decision. */
  readonly text: string;
}

/** A role binding or cluster role binding. */
export interface Binding {
  readonly name: string;
  /** Empty for a cluster role binding. */
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly Subject[];
}

/** The bindings of a namespace, or of the cluster, by subject: those of a user are found without a look at the others. */
export class BindingSet {
  readonly #byName = new Map<string, Binding>();
  readonly #bySubject = new Map<string, Set<Binding>>();

  get size(): number {
    return this.#byName.size;
  }

  put(binding: Binding): void {
    this.remove(binding.name);
    this.#byName.set(binding.name, binding);
    for (const { key } of binding.subjects) {
      const others = this.#bySubject.get(key);
      if (others === undefined) this.#bySubject.set(key, new Set([binding]));
      else others.add(binding);
    }
  }

  remove(name: string): void {
    const binding = this.#byName.get(name);
    if (binding === undefined) return;
    this.#byName.delete(name);
    for (const { key } of binding.subjects) {
      const others = this.#bySubject.get(key);
      others?.delete(binding);
      if (others?.size === 0) this.#bySubject.delete(key);
    }
  }

  /** The bindings of a user, in the order of their names. */
  of(keys: readonly string[]): readonly Binding[] {
    const found = new Set<Binding>();
    for (const key of keys) for (const one of this.#bySubject.get(key) ?? NONE) found.add(one);
    if (found.size < 2) return [...found];
    return [...found].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }
}

const NONE: readonly Binding[] = [];

/** The keys of the subjects that mean a user. */
export function subjectKeys({ username, groups }: UserInfo): readonly string[] {
  const keys = [`u${username}`];
  for (const group of groups) keys.push(`g${group}`);
  return keys;
}

/** Reads a role binding or cluster role binding. */
export function bindingIn(object: unknown): Binding {
  const namespace = textAt(object, 'metadata', 'namespace');
  const roleRef = recordAt(object, 'roleRef');
  return {
    name: textAt(object, 'metadata', 'name'),
    namespace,
    roleKind: textAt(roleRef, 'kind'),
    roleName: textAt(roleRef, 'name'),
    subjects: recordsAt(object, 'subjects').flatMap((one) => subjectIn(one, namespace)),
  };
}

/** A service account without a namespace is one of the binding's. @see pkg/registry/rbac/validation/rule.go appliesToUser @ v1.36.3 */
function subjectIn(subject: Record<string, unknown>, bound: string): Subject[] {
  const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')];
  const shown = (text: string): string => `${kind} ${JSON.stringify(text)}`;
  if (kind === 'User') return [{ key: `u${name}`, text: shown(name) }];
  if (kind === 'Group') return [{ key: `g${name}`, text: shown(name) }];
  const namespace = textAt(subject, 'namespace') || bound;
  if (kind !== 'ServiceAccount' || namespace === '') return [];
  return [{ key: `u${serviceAccountName(namespace, name)}`, text: shown(`${name}/${namespace}`) }];
}

/** Why a binding gives a user its role, as the reason of a decision. */
export function bindingReason(
  { name, namespace, roleKind, roleName, subjects }: Binding,
  keys: readonly string[],
): string {
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const path = JSON.stringify(namespace === '' ? name : `${name}/${namespace}`);
  const subject = subjects.find(({ key }) => keys.includes(key));
  return `RBAC: allowed by ${kind} ${path} of ${roleKind} ${JSON.stringify(roleName)} to ${subject?.text}`;
}
