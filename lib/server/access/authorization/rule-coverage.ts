import { listOfTexts } from '../../registry/rules/go-text.ts';
import { ALL, pathCovers, type PolicyRule } from './policy-rule.ts';

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
