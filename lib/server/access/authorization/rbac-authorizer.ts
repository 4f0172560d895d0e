import { errorMessage } from '../../../kernel/failure/errors.ts';
import type {
  AccessDecision,
  AccessQuestion,
  AccessRules,
  Authorizer,
} from '../../registry/contract/access-parts.ts';
import { isPrivileged, type UserInfo } from '../../registry/contract/user-info.ts';
import { bindingReason, subjectKeys } from './binding-set.ts';
import { ruleAllows, type PolicyRule } from './policy-rule.ts';
import type { RbacRules } from './rbac-rules.ts';

const ALLOWED: AccessDecision = { allowed: true };
const REFUSED: AccessDecision = { allowed: false };

/**
 * Decides by the roles and bindings of the storage. Members of `system:masters` may do everything.
 * @see plugin/pkg/auth/authorizer/rbac/rbac.go @ v1.36.3
 */
export class RbacAuthorizer implements Authorizer {
  readonly #rules: RbacRules;

  constructor(rules: RbacRules) {
    this.#rules = rules;
  }

  async authorize(question: AccessQuestion): Promise<AccessDecision> {
    const { user, namespace, resource, subresource } = question;
    if (isPrivileged(user)) return ALLOWED;
    await this.#rules.ready();
    const combined = subresource === '' ? resource : `${resource}/${subresource}`;
    const errors = new Set<string>();
    let decision = REFUSED;
    this.#rules.visit(user, namespace, (binding, rules) => {
      if (rules instanceof Error) {
        errors.add(errorMessage(rules));
        return false;
      }
      if (!rules.some((rule) => ruleAllows(rule, question, combined))) return false;
      decision = { allowed: true, reason: bindingReason(binding, subjectKeys(user)) };
      return true;
    });
    if (decision.allowed || errors.size === 0) return decision;
    return { allowed: false, reason: `RBAC: ${aggregated([...errors])}` };
  }

  async rulesOf(user: UserInfo, namespace: string): Promise<AccessRules> {
    const { rules, errors } = await this.heldRules(user, namespace);
    const evaluationError = errors.length === 0 ? undefined : aggregated(errors);
    return {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      evaluationError,
    };
  }

  /** All rules of a user in a namespace, and the messages of roles that do not exist. */
  async heldRules(
    user: UserInfo,
    namespace: string,
  ): Promise<{ readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] }> {
    await this.#rules.ready();
    const held: PolicyRule[] = [];
    const errors = new Set<string>();
    this.#rules.visit(user, namespace, (_binding, rules) => {
      if (rules instanceof Error) errors.add(errorMessage(rules));
      else held.push(...rules);
      return false;
    });
    return { rules: held, errors: [...errors] };
  }
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  const rule = { verbs, apiGroups, resources };
  return resourceNames.length === 0 ? rule : { ...rule, resourceNames };
}

/** Several messages as one, as Go's aggregated errors print them. */
export function aggregated(messages: readonly string[]): string {
  return messages.length === 1 ? `${messages[0]}` : `[${messages.join(', ')}]`;
}
