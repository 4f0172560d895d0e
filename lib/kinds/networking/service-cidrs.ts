import { fieldImmutable, fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { textsAt } from '../../meta/json-value.ts';
import { causesOf, type Check, type Report } from '../../server/registry/validation/check.ts';
import { each, requiredFor } from '../../server/registry/validation/combine.ts';
import { parseCidr } from '../../server/registry/validation/addresses/ip-address.ts';
import { cidr } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

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
    report.add(fieldInvalid(path, { CIDRs: texts }, 'may only hold up to 2 values'));
    return;
  }
  rangeTexts(texts, path, report);
  const [one, other] = texts.map(familyOf);
  if (texts.length === 2 && one === other && one !== undefined) {
    report.add(fieldInvalid(path, texts, ONE_OF_EACH));
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
    report.add(fieldImmutable(CIDRS, texts));
    return;
  }
  keepRanges(texts, before, report);
  if (isGrowth) ranges(texts, CIDRS, report);
};

function keepRanges(texts: readonly string[], before: readonly string[], report: Report): void {
  for (const [index, text] of before.entries()) {
    if (text !== texts[index]) report.add(fieldImmutable(`${CIDRS}[${index}]`, texts[index]));
  }
}

/** Ranges of addresses of Services. @see pkg/apis/networking/validation/validation.go @ v1.36.3 */
export const serviceCidrs: KindRules = {
  group: 'networking.k8s.io',
  resource: 'servicecidrs',
  strategy: {
    validate: (object) => causesOf(created, object),
    validateUpdate: (object, existing) => causesOf(updated, object, existing),
  },
};
