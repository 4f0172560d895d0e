import { sameContent } from '../../meta/content/same-content.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import { labelSelectorFromSpec, type LabelSelector } from '../../meta/selectors/label-selector.ts';
import type { ClusterRole, PolicyRule } from '../../types/built-in/rbac-v1-kinds.ts';

/** Whether a role is made of others: only then its rules are not its own. */
export function isAggregated({ aggregationRule }: ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** The selectors of a role that is made of others; none for any other role. */
function selectorsOf({ aggregationRule }: ClusterRole): readonly LabelSelector[] {
  return (aggregationRule?.clusterRoleSelectors ?? []).map(labelSelectorFromSpec);
}

/** Whether a role with this metadata is a part of another one. */
export function isPartOf(role: ClusterRole, { name, labels }: ObjectMeta): boolean {
  return name !== role.metadata?.name && selectorsOf(role).some((one) => one.matches(labels));
}

/**
 * The rules of a role that is made of others: for each selector those of the roles that match, by name, each rule once; undefined if the role
 * has them.
 * @see kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go syncClusterRole @ v1.37.2
 */
export function aggregatedRules(
  role: ClusterRole,
  all: readonly ClusterRole[],
): PolicyRule[] | undefined {
  const sorted = all
    .filter(({ metadata }) => metadata?.name !== role.metadata?.name)
    .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of selectorsOf(role)) {
    const matching = sorted.filter(({ metadata }) => selector.matches(metadata?.labels));
    for (const rule of matching.flatMap((one) => one.rules ?? [])) {
      if (!rules.some((known) => sameContent(known, rule))) rules.push(rule);
    }
  }
  return sameContent({ rules }, { rules: role.rules }) ? undefined : rules;
}
