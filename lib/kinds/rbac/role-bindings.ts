import { fieldInvalid, fieldNotSupported } from '../../server/registry/rules/field-causes.ts';
import { isRecord } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  isChanged,
  required,
} from '../../server/registry/validation/combine.ts';
import { dnsSubdomain, pathSegment } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const GROUP = 'rbac.authorization.k8s.io';

const named = fields({ name: required() });

const ofGroup = fields({ apiGroup: oneOf([GROUP]) });

const withoutGroup: Check = (group = '', path, report) => {
  if (group !== '') report.add(fieldNotSupported(path, group, ['']));
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
      report.add(fieldNotSupported(`${path}.kind`, kind ?? '', kinds));
    }
  };
  return all(named, ofKind);
}

const sameRole: Check = (role, path, report, old) => {
  if (!isChanged(role, report, old)) return;
  report.add(fieldInvalid(path, goForm('rbac.RoleRef', role), 'cannot change roleRef'));
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
