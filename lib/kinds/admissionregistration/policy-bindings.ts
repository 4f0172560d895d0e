import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { mutatingOperations, paramRef } from './policy-parts.ts';
import { reservedNameWarnings } from './reserved-names.ts';
import { matchResources } from './matched-resources.ts';

const GROUP = 'admissionregistration.k8s.io';

const action = oneOf(['Audit', 'Deny', 'Warn']);

const validationActions: Check = (list, path, report) => {
  const seen = new Set<unknown>();
  each((one, place) => {
    action(one, place, report);
    if (seen.has(one)) report.add(fieldDuplicate(place, one));
    seen.add(one);
  })(list, path, report);
  if (seen.has('Deny') && seen.has('Warn')) {
    const why =
      '(repeating the same validation failure information in the API response and headers serves no purpose)';
    report.add(fieldInvalid(path, list, `must not contain both Deny and Warn ${why}`));
  }
  if (seen.size === 0) {
    report.add(fieldRequired(path, 'at least one validation action is required'));
  }
};

const policyName = required(format(dnsSubdomain));

/** @see pkg/apis/admissionregistration/validation validateValidatingAdmissionPolicyBindingSpec @ v1.36.3 */
export const validatingAdmissionPolicyBindings: KindRules = {
  group: GROUP,
  resource: 'validatingadmissionpolicybindings',
  strategy: {
    ...checkedBy(
      fields({ spec: fields({ policyName, paramRef, matchResources, validationActions }) }),
    ),
    warnings: reservedNameWarnings,
  },
};

export const mutatingAdmissionPolicyBindings: KindRules = {
  group: GROUP,
  resource: 'mutatingadmissionpolicybindings',
  strategy: {
    ...checkedBy(
      fields({
        spec: fields({
          policyName,
          paramRef,
          matchResources: all(matchResources, mutatingOperations),
        }),
      }),
    ),
    warnings: reservedNameWarnings,
  },
};
