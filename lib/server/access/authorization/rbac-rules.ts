import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { notFound } from '../../../meta/failure/failures.ts';
import type { UserInfo } from '../../registry/contract/user-info.ts';
import { ObjectFollower } from '../../registry/followed/object-follower.ts';
import type { ResourceStorage } from '../../registry/storage-factory.ts';
import { textAt } from '../../../meta/json-value.ts';
import { BindingSet, bindingIn, subjectKeys, type Binding } from './binding-set.ts';
import { rulesIn, type PolicyRule } from './policy-rule.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const RESOURCES = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const;
type RbacResource = (typeof RESOURCES)[number];

export interface RbacRulesOptions {
  /** The storage of a resource of RBAC, and the prefix of its keys; undefined when it is not served. */
  readonly storageOf: (
    resource: RbacResource,
  ) => { readonly storage: ResourceStorage; readonly keyRoot: string } | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** Gets the rules of each binding of a user, or the error of its role; returns true to end the visit. */
export type VisitRules = (
  binding: Binding,
  rules: readonly PolicyRule[] | Error,
) => boolean | undefined;

type RoleReference = Pick<Binding, 'roleKind' | 'roleName' | 'namespace'>;

/**
 * The roles and bindings of the storage, kept ready for decisions.
 *
 * Guarantees:
 * - The first use reads them; from then on they follow the storage, also what other servers write.
 * - When a write of a role or binding resolves, its effect is here.
 */
export class RbacRules {
  readonly #options: RbacRulesOptions;
  readonly #clusterRoles = new Map<string, readonly PolicyRule[]>();
  /** By `namespace/name`. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #clusterBindings = new BindingSet();
  readonly #bindings = new Map<string, BindingSet>();
  #followers: readonly ObjectFollower[] = [];
  #started: Promise<void> | undefined;
  #closed = false;

  constructor(options: RbacRulesOptions) {
    this.#options = options;
  }

  /** Resolves when all roles and bindings are known. @throws {ApiError} when they cannot be read; the next call tries again. */
  async ready(): Promise<void> {
    this.#started ??= this.#start();
    await this.#started;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#started?.catch(() => {});
    await Promise.all(this.#followers.map((one) => one.close()));
  }

  /** The bindings of a user for the cluster, then those of the namespace; none of a namespace if it is empty. */
  visit(user: UserInfo, namespace: string, visit: VisitRules): void {
    const keys = subjectKeys(user);
    for (const binding of this.#clusterBindings.of(keys)) {
      if (visit(binding, this.#rulesOf(binding)) === true) return;
    }
    if (namespace === '') return;
    for (const binding of this.#bindings.get(namespace)?.of(keys) ?? []) {
      if (visit(binding, this.#rulesOf(binding)) === true) return;
    }
  }

  /** The rules of a role that a binding names; undefined when there is no such role. */
  rulesOfRole({ roleKind, roleName, namespace }: RoleReference): readonly PolicyRule[] | undefined {
    return roleKind === 'Role'
      ? this.#roles.get(`${namespace}/${roleName}`)
      : this.#clusterRoles.get(roleName);
  }

  #rulesOf(binding: Binding): readonly PolicyRule[] | Error {
    const { roleKind, roleName } = binding;
    // kube-apiserver's lister names the kind in lower case in place of the resource.
    const resource = roleKind.toLowerCase();
    return this.rulesOfRole(binding) ?? notFound({ group: RBAC_GROUP, resource }, roleName);
  }

  async #start(): Promise<void> {
    const followers = RESOURCES.flatMap((resource) => this.#followerOf(resource));
    try {
      await Promise.all(followers.map((one) => one.start()));
      this.#followers = followers;
    } catch (error) {
      this.#started = undefined;
      await Promise.all(followers.map((one) => one.close()));
      throw error;
    }
    if (this.#closed) await Promise.all(followers.map((one) => one.close()));
  }

  #followerOf(resource: RbacResource): ObjectFollower[] {
    const { storageOf, runtime, logger } = this.#options;
    const found = storageOf(resource);
    if (found === undefined) return [];
    return [
      new ObjectFollower({
        name: resource,
        storage: found.storage,
        prefix: `${found.keyRoot}/`,
        runtime,
        logger,
        onPresent: ({ object }) => {
          this.#put(resource, object);
        },
        onGone: ({ object }) => {
          this.#remove(resource, object);
        },
      }),
    ];
  }

  #put(resource: RbacResource, object: unknown): void {
    const [namespace, name] = pathOf(object);
    if (resource === 'clusterroles') this.#clusterRoles.set(name, rulesIn(object));
    else if (resource === 'roles') this.#roles.set(`${namespace}/${name}`, rulesIn(object));
    else this.#bindingsOf(resource, namespace).put(bindingIn(object));
  }

  #remove(resource: RbacResource, object: unknown): void {
    const [namespace, name] = pathOf(object);
    if (resource === 'clusterroles') this.#clusterRoles.delete(name);
    else if (resource === 'roles') this.#roles.delete(`${namespace}/${name}`);
    else {
      const bindings = this.#bindingsOf(resource, namespace);
      bindings.remove(name);
      if (bindings.size === 0) this.#bindings.delete(namespace);
    }
  }

  #bindingsOf(resource: RbacResource, namespace: string): BindingSet {
    if (resource === 'clusterrolebindings') return this.#clusterBindings;
    const known = this.#bindings.get(namespace);
    if (known !== undefined) return known;
    const made = new BindingSet();
    this.#bindings.set(namespace, made);
    return made;
  }
}

function pathOf(object: unknown): readonly [namespace: string, name: string] {
  return [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')];
}
