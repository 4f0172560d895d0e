import { fieldInvalid, fieldRequired } from '../../server/registry/rules/field-causes.ts';
import { isRecord } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  isEmpty,
  requiredFor,
} from '../../server/registry/validation/combine.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const GROUP = 'rbac.authorization.k8s.io';

const verbs = fields({ verbs: requiredFor('verbs must contain at least one value') });

const resourceRule = fields({
  apiGroups: requiredFor('resource rules must supply at least one api group'),
  resources: requiredFor('resource rules must supply at least one resource'),
});

/** A rule of a role; those of a namespace apply to no URLs. @see pkg/apis/rbac/validation ValidatePolicyRule @ v1.36.3 */
function policyRule(isNamespaced: boolean): Check {
  return (rule, path, report) => {
    if (!isRecord(rule)) return;
    verbs(rule, path, report);
    const { nonResourceURLs, apiGroups, resources, resourceNames } = rule;
    if (isEmpty(nonResourceURLs)) return resourceRule(rule, path, report);
    const wrong = (detail: string): void =>
      report.add(fieldInvalid(`${path}.nonResourceURLs`, nonResourceURLs, detail));
    if (isNamespaced) wrong('namespaced rules cannot apply to non-resource URLs');
    if (![apiGroups, resources, resourceNames].every(isEmpty)) {
      wrong('rules cannot apply to both regular resources and non-resource URLs');
    }
  };
}

/** A selector that is wrong is also none that could select. */
const usableSelector: Check = (selector, path, report) => {
  const before = report.causes.length;
  labelSelector()(selector, path, report);
  if (report.causes.length === before) return;
  report.add(fieldInvalid(path, null, 'invalid label selector.'));
};

const aggregation: Check = (rule, path, report) => {
  if (!isRecord(rule)) return;
  const { clusterRoleSelectors } = rule;
  const place = `${path}.clusterRoleSelectors`;
  if (isEmpty(clusterRoleSelectors)) {
    const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    report.add(fieldRequired(place, detail));
  }
  each(usableSelector)(clusterRoleSelectors, place, report);
};

export const roles: KindRules = {
  group: GROUP,
  resource: 'roles',
  strategy: checkedBy(fields({ rules: each(policyRule(true)) })),
};

export const clusterRoles: KindRules = {
  group: GROUP,
  resource: 'clusterroles',
  strategy: checkedBy(
    all(fields({ rules: each(policyRule(false)), aggregationRule: aggregation })),
  ),
};
