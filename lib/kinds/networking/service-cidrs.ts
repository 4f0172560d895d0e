import { textsAt, recordAt, valueAt } from '../../meta/json-value.ts';
import {
  causesOf,
  checkedBy,
  type Check,
  type Report,
} from '../../server/registry/validation/check.ts';
import {
  each,
  requiredFor,
  fields,
  isChanged,
  required,
} from '../../server/registry/validation/combine.ts';
import { parseCidr } from '../../server/registry/validation/addresses/ip-address.ts';
import { cidr, ip } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { dnsSubdomain, pathSegment } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { unlessEmpty } from '../../server/registry/validation/addresses/address-checks.ts';

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
    report.immutable(
      path,
      parent === undefined ? null : goForm('networking.ParentReference', parent),
    );
  }
};

/** An address of a Service: the name is the address. @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const ipAddresses: KindRules = {
  group: 'networking.k8s.io',
  resource: 'ipaddresses',
  strategy: { ...checkedBy(checks), nameProblems: ip },
};

const CIDRS = 'spec.cidrs';
const ONE_OF_EACH =
  'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

function familyOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseCidr(text)?.address.family;
}

const rangeTexts = each(format(cidr));

const ranges: Check = (value, path, report) => {
  const texts = value as readonly string[];
  if (texts.length > 2) {
    report.invalid(path, { CIDRs: texts }, 'may only hold up to 2 values');
    return;
  }
  rangeTexts(texts, path, report);
  const [one, other] = texts.map(familyOf);
  if (texts.length === 2 && one === other && one !== undefined) {
    report.invalid(path, texts, ONE_OF_EACH);
  }
};

const created: Check = (object, _path, report) => {
  requiredFor('at least one CIDR required', ranges)(
    textsAt(object, 'spec', 'cidrs'),
    CIDRS,
    report,
  );
};

/** Ranges stay; a second one, of the other family, may be added. */
const updated: Check = (object, _path, report) => {
  const texts = textsAt(object, 'spec', 'cidrs');
  const before = textsAt(report.existing, 'spec', 'cidrs');
  const isGrowth = before.length === 1 && texts.length === 2;
  if (texts.length !== before.length && !isGrowth) {
    report.immutable(CIDRS, texts);
    return;
  }
  keepRanges(texts, before, report);
  if (isGrowth) ranges(texts, CIDRS, report);
};

function keepRanges(texts: readonly string[], before: readonly string[], report: Report): void {
  for (const [index, text] of before.entries()) {
    if (text !== texts[index]) report.immutable(`${CIDRS}[${index}]`, texts[index]);
  }
}

/** Ranges of addresses of Services. @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const serviceCidrs: KindRules = {
  group: 'networking.k8s.io',
  resource: 'servicecidrs',
  strategy: {
    validate: (object, policy) => causesOf(created, object, undefined, policy),
    validateUpdate: (object, existing, policy) => causesOf(updated, object, existing, policy),
  },
};
