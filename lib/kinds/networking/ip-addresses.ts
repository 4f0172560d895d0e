import { fieldImmutable } from '../../server/registry/rules/field-causes.ts';
import { recordAt, valueAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { fields, isChanged, required } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain, pathSegment } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { ip } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import { unlessEmpty } from '../../server/registry/validation/addresses/address-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const parentReference: Check = fields({
  group: unlessEmpty(format(dnsSubdomain)),
  resource: required(format(pathSegment)),
  name: required(format(pathSegment)),
  namespace: unlessEmpty(format(pathSegment)),
});

const checks: Check = (object, _path, report) => {
  const path = 'spec.parentRef';
  const parent = valueAt(object, 'spec', 'parentRef');
  required(parentReference)(parent, path, report);
  if (isChanged(parent, report, recordAt(report.existing, 'spec', 'parentRef'))) {
    report.add(
      fieldImmutable(
        path,
        parent === undefined ? null : goForm('networking.ParentReference', parent),
      ),
    );
  }
};

/** An address of a Service: the name is the address. @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const ipAddresses: KindRules = {
  group: 'networking.k8s.io',
  resource: 'ipaddresses',
  strategy: { ...checkedBy(checks), nameProblems: ip },
};
