import { isRecord } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  isEmpty,
  requiredFor,
  isChanged,
  required,
} from '../../server/registry/validation/combine.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { dnsSubdomain, pathSegment } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';

const GROUP = 'rbac.authorization.k8s.io';

const named = fields({ name: required() });

const ofGroup = fields({ apiGroup: oneOf([GROUP]) });

const withoutGroup: Check = (group = '', path, report) => {
  if (group !== '') report.notSupported(path, group, ['']);
};

/** @see pkg/apis/rbac/validation ValidateRoleBindingSubject @ v1.36.3 */
function subjectCheck(isNamespaced: boolean): Check {
  const serviceAccount = fields({
    name: (name, path, report) => {
      if (name !== '') format(dnsSubdomain)(name, path, report);
    },
    apiGroup: withoutGroup,
    ...(isNamespaced ? {} : { namespace: required() }),
  });
  const ofKind: Check = (subject, path, report) => {
    const kind = isRecord(subject) ? subject['kind'] : undefined;
    if (kind === 'ServiceAccount') serviceAccount(subject, path, report);
    else if (kind === 'User' || kind === 'Group') ofGroup(subject, path, report);
    else {
      const kinds = ['ServiceAccount', 'User', 'Group'];
      report.notSupported(`${path}.kind`, kind ?? '', kinds);
    }
  };
  return all(named, ofKind);
}

const sameRole: Check = (role, path, report, old) => {
  if (!isChanged(role, report, old)) return;
  report.invalid(path, goForm('rbac.RoleRef', role), 'cannot change roleRef');
};

function binding(resource: string, kinds: readonly string[]): KindRules {
  const role = fields({
    apiGroup: oneOf([GROUP]),
    kind: oneOf(kinds),
    name: required(format(pathSegment)),
  });
  const isNamespaced = kinds.length > 1;
  return {
    group: GROUP,
    resource,
    strategy: checkedBy(
      all(
        fields({ roleRef: role, subjects: each(subjectCheck(isNamespaced)) }),
        fields({ roleRef: sameRole }),
      ),
    ),
  };
}

export const roleBindings: KindRules = binding('rolebindings', ['Role', 'ClusterRole']);

export const clusterRoleBindings: KindRules = binding('clusterrolebindings', ['ClusterRole']);

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
      report.invalid(`${path}.nonResourceURLs`, nonResourceURLs, detail);
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
  report.invalid(path, null, 'invalid label selector.');
};

const aggregation: Check = (rule, path, report) => {
  if (!isRecord(rule)) return;
  const { clusterRoleSelectors } = rule;
  const place = `${path}.clusterRoleSelectors`;
  if (isEmpty(clusterRoleSelectors)) {
    const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    report.required(place, detail);
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
