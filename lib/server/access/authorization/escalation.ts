import { notFound, withoutReason } from '../../../meta/failure/failures.ts';
import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';
import type { RequestContext } from '../../registry/contract/rest-storage.ts';
import type { StoreHooks, WriteTarget } from '../../registry/contract/store-hooks.ts';
import { isPrivileged, userNamed, type UserInfo } from '../../registry/contract/user-info.ts';
import { listOfTexts } from '../../registry/rules/go-text.ts';
import { recordAt, recordsAt, textAt } from '../../../meta/json-value.ts';
import { forbiddenFor } from './forbidden-access.ts';
import { rulesIn, ALL, pathCovers, type PolicyRule } from './policy-rule.ts';
import { aggregated, type RbacAuthorizer } from './rbac-authorizer.ts';
import { RBAC_GROUP, type RbacRules } from './rbac-rules.ts';
import { isCleanUp } from './owner-clean-up.ts';
import { CERTIFICATES_GROUP, signerHooks } from './signer-rights.ts';

/** A rule with at most one element in each list. */
type Atom = PolicyRule;

const NONE: readonly string[] = [];
/** Single permissions that are looked at in one role; the rules after that are each compared as a whole. */
const MOST_ATOMS = 100_000;

/**
 * The permissions of `wanted` that `owned` does not have, each as one line, sorted; empty if it has all of them.
 * @see component-helpers auth/rbac/validation/policy_comparator.go Covers @ v0.36.3
 */
export function missingRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly string[] {
  const missing: Atom[] = [];
  let left = MOST_ATOMS;
  for (const rule of wanted) {
    left -= atomCount(rule);
    if (left < 0) {
      if (!owned.some((one) => coversRule(one, rule))) missing.push(rule);
      continue;
    }
    for (const atom of atomsOf(rule)) {
      if (!owned.some((one) => coversRule(one, atom))) missing.push(atom);
    }
  }
  return [...new Set(compact(missing).map(describeRule))].toSorted();
}

function atomCount(rule: PolicyRule): number {
  const names = Math.max(1, rule.resourceNames.length);
  const named = rule.apiGroups.length * rule.resources.length * names;
  return rule.verbs.length * (named + rule.nonResourceURLs.length);
}

function* atomsOf(rule: PolicyRule): Generator<Atom> {
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        const atom = {
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: NONE,
          nonResourceURLs: NONE,
        };
        if (rule.resourceNames.length === 0) yield atom;
        for (const name of rule.resourceNames) yield { ...atom, resourceNames: [name] };
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) {
      yield {
        verbs: [verb],
        apiGroups: NONE,
        resources: NONE,
        resourceNames: NONE,
        nonResourceURLs: [url],
      };
    }
  }
}

/** Whether one rule covers each combination of another one. */
function coversRule(owner: PolicyRule, rule: PolicyRule): boolean {
  const { resourceNames } = owner;
  return (
    hasAll(owner.verbs, rule.verbs) &&
    hasAll(owner.apiGroups, rule.apiGroups) &&
    hasResources(owner.resources, rule.resources) &&
    (resourceNames.length === 0 ||
      (rule.resourceNames.length > 0 &&
        rule.resourceNames.every((name) => resourceNames.includes(name)))) &&
    rule.nonResourceURLs.every((path) => owner.nonResourceURLs.some((url) => pathCovers(url, path)))
  );
}

function hasAll(list: readonly string[], others: readonly string[]): boolean {
  return list.includes(ALL) || others.every((one) => list.includes(one));
}

function hasResources(list: readonly string[], resources: readonly string[]): boolean {
  if (hasAll(list, resources)) return true;
  return resources.every((resource) => {
    const slash = resource.indexOf('/');
    return list.includes(resource) || (slash >= 0 && list.includes(`*${resource.slice(slash)}`));
  });
}

/** Rules of the same resource become one with all their verbs. @see pkg/registry/rbac/validation/policy_compact.go @ v1.36.3 */
function compact(atoms: readonly Atom[]): PolicyRule[] {
  const found: PolicyRule[] = [];
  const byResource = new Map<string, { readonly rule: Atom; readonly verbs: string[] }>();
  for (const rule of atoms) {
    if (rule.resources.length !== 1 || rule.apiGroups.length !== 1) {
      found.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const same = byResource.get(key);
    if (same === undefined) byResource.set(key, { rule, verbs: [...rule.verbs] });
    else same.verbs.push(...rule.verbs);
  }
  return [...found, ...[...byResource.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

/** @see pkg/apis/rbac/v1/evaluation_helpers.go CompactString @ v1.36.3 */
function describeRule(rule: PolicyRule): string {
  const parts = (
    [
      ['APIGroups', rule.apiGroups],
      ['Resources', rule.resources],
      ['NonResourceURLs', rule.nonResourceURLs],
      ['ResourceNames', rule.resourceNames],
      ['Verbs', rule.verbs],
    ] as const
  ).filter(([, list]) => list.length > 0);
  return `{${parts.map(([name, list]) => `${name}:${listOfTexts(list)}`).join(', ')}}`;
}

/** Everything, in a role. */
const FULL_AUTHORITY = rulesIn({
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
});

/** The authorizer by roles, and its rules. */
export interface RbacParts {
  readonly authorizer: RbacAuthorizer;
  readonly rules: RbacRules;
}

/**
 * The hooks that keep users from giving rights that they do not have, as roles, bindings or certificates: undefined for resources
 * that give none.
 * @see pkg/registry/rbac/role/policybased/storage.go @ v1.36.3
 */
export function escalationHooks(
  { authorizer, rules }: RbacParts,
  { group, resource }: Pick<AccessQuestion, 'group' | 'resource'>,
): Pick<StoreHooks, 'authorize'> | undefined {
  if (group === CERTIFICATES_GROUP) return signerHooks(authorizer, resource);
  if (group !== RBAC_GROUP) return undefined;
  switch (resource) {
    case 'roles':
    case 'clusterroles':
      return { authorize: (...write) => authorizeRole(authorizer, resource, ...write) };
    case 'rolebindings':
    case 'clusterrolebindings':
      return { authorize: (...write) => authorizeBinding(authorizer, rules, resource, ...write) };
    default:
      return undefined;
  }
}

/** @throws {ApiError} 403. */
async function authorizeRole(
  authorizer: RbacAuthorizer,
  resource: string,
  context: RequestContext,
  object: unknown,
  { name, existing }: WriteTarget,
): Promise<void> {
  const user = userOf(context);
  if (isPrivileged(user)) return;
  const question = questionOf(context, 'escalate', { group: RBAC_GROUP, resource, name });
  if ((await authorizer.authorize(question)).allowed) return;
  if (existing !== undefined && isCleanUp(object, existing)) return;
  const fault = await grantFault(authorizer, context, rulesIn(object));
  const shown = textAt(object, 'metadata', 'name');
  if (fault !== undefined) throw forbiddenFor({ group: RBAC_GROUP, resource }, shown, fault);
  // An aggregated role can gather everything.
  if (!isAggregated(object) && !isAggregated(existing)) return;
  if ((await grantFault(authorizer, context, FULL_AUTHORITY)) === undefined) return;
  const reason = 'must have cluster-admin privileges to use the aggregationRule';
  throw forbiddenFor({ group: RBAC_GROUP, resource }, shown, reason);
}

/** @throws {ApiError} 403; 404 for a role that does not exist. */
async function authorizeBinding(
  authorizer: RbacAuthorizer,
  rules: RbacRules,
  resource: string,
  context: RequestContext,
  object: unknown,
  { existing }: WriteTarget,
): Promise<void> {
  if (isPrivileged(userOf(context))) return;
  if (existing !== undefined && isCleanUp(object, existing)) return;
  const roleRef = recordAt(object, 'roleRef');
  const roleKind = textAt(roleRef, 'kind');
  const roleName = textAt(roleRef, 'name');
  if (roleKind === 'Role' || roleKind === 'ClusterRole') {
    const role = {
      group: textAt(roleRef, 'apiGroup'),
      resource: roleKind === 'Role' ? 'roles' : 'clusterroles',
      name: roleName,
    };
    if ((await authorizer.authorize(questionOf(context, 'bind', role))).allowed) return;
  }
  await rules.ready();
  if (roleKind !== 'Role' && roleKind !== 'ClusterRole') {
    throw withoutReason(`unsupported role reference kind: ${JSON.stringify(roleKind)}`);
  }
  const granted = rules.rulesOfRole({ roleKind, roleName, namespace: context.namespace });
  if (granted === undefined) throw notFound({ group: RBAC_GROUP, resource }, roleName);
  const fault = await grantFault(authorizer, context, granted);
  if (fault === undefined) return;
  const name = textAt(object, 'metadata', 'name');
  throw forbiddenFor({ group: RBAC_GROUP, resource }, name, fault);
}

/** Why a user may not give these rules: those that it does not have. @see pkg/registry/rbac/validation/rule.go @ v1.36.3 */
async function grantFault(
  authorizer: RbacAuthorizer,
  context: RequestContext,
  granted: readonly PolicyRule[],
): Promise<string | undefined> {
  const user = userOf(context);
  const { rules, errors } = await authorizer.heldRules(user, context.namespace);
  const missing = missingRules(rules, granted);
  if (missing.length === 0) return undefined;
  const ending = errors.length === 0 ? '' : `; resolution errors: [${aggregated(errors)}]`;
  const who = `user ${JSON.stringify(user.username)} (groups=${listOfTexts(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${ending}`;
}

function questionOf(
  context: RequestContext,
  verb: string,
  about: Pick<AccessQuestion, 'group' | 'resource' | 'name'>,
): Parameters<Authorizer['authorize']>[0] {
  return {
    user: userOf(context),
    verb,
    isResource: true,
    path: '',
    version: '*',
    subresource: '',
    namespace: context.namespace,
    ...about,
  };
}

function userOf({ user, identity }: RequestContext): UserInfo {
  return identity ?? userNamed(user);
}

function isAggregated(role: unknown): boolean {
  return recordsAt(role, 'aggregationRule', 'clusterRoleSelectors').length > 0;
}
