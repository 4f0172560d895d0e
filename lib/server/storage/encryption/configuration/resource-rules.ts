import { groupResource } from '../../../../meta/resource.ts';

/**
 * A resource type; in a rule the resource, or both fields, may be `*`.
 *
 * @experimental
 */
export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
}

export const EVERYTHING: GroupResource = { group: '*', resource: '*' };

/** Parses `secrets`, `deployments.apps`, `*.apps`, `*.` or `*.*`. */
export function parseResourceRule(text: string): GroupResource {
  const dot = text.indexOf('.');
  if (dot < 0) return { group: '', resource: text };
  return { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

/** The text of a rule as it is written in the file. */
export function ruleText(rule: GroupResource): string {
  return rule.group === '' && rule.resource === '*' ? '*.' : groupResource(rule);
}

/** Types that are stored, but cannot be encrypted because they have no API. */
const WITHOUT_API: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

/**
 * The fault of a single rule; undefined when there is none.
 * @see apiserver pkg/apis/apiserver/validation/validation_encryption.go validateResourceNames @ 24a394e
 */
export function ruleProblem(text: string): string | undefined {
  if (text !== text.toLowerCase()) return 'a resource name has no capital letters';
  if (text === '*')
    return 'write "*." for all resources of the core group, "*.*" for all resources';
  if (WITHOUT_API.has(text)) return 'a resource without API cannot be encrypted';
  const { group, resource } = parseResourceRule(text);
  if (resource === '') return 'the name of the resource is missing';
  if (group === 'events.k8s.io')
    return 'events are stored as those of the core group: write "events"';
  if (group === 'extensions') return 'the group "extensions" no longer exists';
  if (group === '*' && resource !== '*') {
    return 'the same resource cannot be named in all groups at once';
  }
  return undefined;
}

/**
 * The fault of the combination of rules in one list; undefined when there is none.
 * @see ibid. validateResourceOverlap
 */
export function overlapProblem(rules: readonly GroupResource[]): string | undefined {
  const texts = rules.map(ruleText);
  if (new Set(texts).size < texts.length) return 'a resource occurs in it twice';
  const overlaps =
    rules.length > 1 &&
    rules.some(
      (rule, index) =>
        rule.resource === '*' &&
        (rule.group === '*' ||
          rules.some((other, at) => at !== index && other.group === rule.group)),
    );
  return overlaps ? 'one of its wildcards covers another entry of the list' : undefined;
}

/** The rules that may apply to a resource, the most specific one first. */
export function rulesFor({ group, resource }: GroupResource): readonly GroupResource[] {
  return [{ group, resource }, { group, resource: '*' }, EVERYTHING];
}
