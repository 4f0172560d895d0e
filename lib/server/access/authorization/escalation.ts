import { notFound, withoutReason } from '../../../meta/failure/failures.ts';
import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';
import type { RequestContext } from '../../registry/contract/rest-storage.ts';
import type { StoreHooks, WriteTarget } from '../../registry/contract/store-hooks.ts';
import { isPrivileged, userNamed, type UserInfo } from '../../registry/contract/user-info.ts';
import { listOfTexts } from '../../registry/rules/go-text.ts';
import { jsonEqual, recordAt, recordsAt, textAt } from '../../../meta/json-value.ts';
import { forbiddenFor } from './forbidden-access.ts';
import { rulesIn, type PolicyRule } from './policy-rule.ts';
import { aggregated, type RbacAuthorizer } from './rbac-authorizer.ts';
import { RBAC_GROUP, type RbacRules } from './rbac-rules.ts';
import { signerHooks } from './signer-rights.ts';
import { missingRules } from './rule-coverage.ts';

/** Everything, in a role. */
const FULL_AUTHORITY = rulesIn({
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
});

/** Fields that only the clean-up of owned objects changes. */
const CLEANED_UP = ['ownerReferences', 'finalizers', 'selfLink', 'managedFields'] as const;

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
  if (resource === 'certificatesigningrequests' && group === 'certificates.k8s.io') {
    return signerHooks(authorizer);
  }
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

/** Whether an update changes nothing but owners and finalizers, as the garbage collector does. */
function isCleanUp(object: unknown, existing: unknown): boolean {
  return jsonEqual(withoutCleanedUp(object), withoutCleanedUp(existing));
}

function withoutCleanedUp(object: unknown): object {
  const metadata: Record<string, unknown> = { ...recordAt(object, 'metadata') };
  for (const name of CLEANED_UP) delete metadata[name];
  return { ...(object as object), metadata };
}
