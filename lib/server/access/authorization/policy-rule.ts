import type { AccessQuestion } from '../../registry/contract/access-parts.ts';
import { recordsAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';

/** One rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: all names. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export const ALL = '*';

/** The rules of a role. */
export function rulesIn(role: unknown): readonly PolicyRule[] {
  return recordsAt(role, 'rules').map(ruleIn);
}

function ruleIn(rule: JsonRecord): PolicyRule {
  return {
    verbs: textsAt(rule, 'verbs'),
    apiGroups: textsAt(rule, 'apiGroups'),
    resources: textsAt(rule, 'resources'),
    resourceNames: textsAt(rule, 'resourceNames'),
    nonResourceURLs: textsAt(rule, 'nonResourceURLs'),
  };
}

/**
 * Whether a rule allows what is asked for. @param combined The resource with its subresource: `pods/log`.
 * @see plugin/pkg/auth/authorizer/rbac/rbac.go RuleAllows @ v1.36.3
 */
export function ruleAllows(rule: PolicyRule, question: AccessQuestion, combined: string): boolean {
  if (!includesOrAll(rule.verbs, question.verb)) return false;
  if (!question.isResource) {
    return rule.nonResourceURLs.some((url) => pathCovers(url, question.path));
  }
  const { resourceNames } = rule;
  return (
    includesOrAll(rule.apiGroups, question.group) &&
    (includesOrAll(rule.resources, combined) ||
      (question.subresource !== '' && rule.resources.includes(`*/${question.subresource}`))) &&
    (resourceNames.length === 0 || resourceNames.includes(question.name))
  );
}

function includesOrAll(list: readonly string[], one: string): boolean {
  return list.includes(one) || list.includes(ALL);
}

/** Whether a path of a rule, which may end with `*`, covers another path. */
export function pathCovers(rule: string, path: string): boolean {
  return rule === path || (rule.endsWith(ALL) && path.startsWith(withoutStars(rule)));
}

function withoutStars(text: string): string {
  let end = text.length;
  while (text[end - 1] === ALL) end -= 1;
  return text.slice(0, end);
}
