import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '../../../server/registry/rules/field-causes.ts';
import { recordsAt, textAt } from '../../../meta/json-value.ts';
import { fields } from '../../../server/registry/validation/combine.ts';
import {
  dnsLabel,
  dnsSubdomain,
  qualifiedName,
} from '../../../server/registry/validation/formats.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';
import { format } from '../../../server/registry/validation/values.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { podCheck } from '../report/pod-report.ts';
import { text } from '../report/small-checks.ts';

const label = format(dnsLabel);
const names = fields({
  resourceClaimName: format(dnsSubdomain),
  resourceClaimTemplateName: format(dnsSubdomain),
});

/**
 * The claims of devices of a pod.
 * @see pkg/apis/core/validation/validation.go validatePodResourceClaim @ v1.36.3
 */
export const resourceClaims: Check = podCheck((list, path, pod) => {
  const seen = new Set<string>();
  for (const [index, claim] of recordsAt(list).entries()) {
    if (pod.isMirror) {
      pod.add(fieldForbidden('[]', 'static pods do not support resource claims'));
      continue;
    }
    const at = `${path}[${index}]`;
    const name = textAt(claim, 'name');
    if (name === '') pod.add(fieldRequired(`${at}.name`));
    else if (seen.has(name)) pod.add(fieldDuplicate(`${at}.name`, name));
    else label(name, `${at}.name`, pod);
    seen.add(name);
    const { resourceClaimName: one, resourceClaimTemplateName: other } = claim;
    if ((one === undefined) === (other === undefined)) {
      const rule =
        one === undefined
          ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
          : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      pod.add(fieldInvalid(at, goForm('core.PodResourceClaim', claim), rule));
    }
    names(claim, at, pod);
  }
});

const gate = text(qualifiedName);

/** The gates that hold the scheduling of a pod. */
export const schedulingGates: Check = (list, path, report) => {
  const seen = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const name = textAt(one, 'name');
    gate(name, `${path}[${index}]`, report);
    if (seen.has(name)) report.add(fieldDuplicate(`${path}[${index}]`, name));
    seen.add(name);
  }
};
