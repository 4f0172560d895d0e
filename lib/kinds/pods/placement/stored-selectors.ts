import { recordAt, recordsAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import { Report } from '../../../server/registry/validation/check.ts';
import { labelValue } from '../../../server/registry/validation/formats.ts';
import { labelSelector } from '../../../server/registry/validation/label-selector-checks.ts';
import { checkLabelKeys } from './label-keys.ts';

// A stored spec keeps what older API servers accepted. See pkg/api/pod/util.go GetValidationOptionsFromPodSpecAndMeta @ v1.36.3.

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const strict = labelSelector();

function isWrong(selector: unknown): boolean {
  const report = new Report({});
  strict(selector, '', report);
  return report.causes.length > 0;
}

/** Whether the stored spec needs nodes by a value that is no label value. */
export function hasWrongNodeValues(spec: JsonRecord | undefined): boolean {
  const terms = recordsAt(spec, 'affinity', 'nodeAffinity', REQUIRED, 'nodeSelectorTerms');
  return terms.some((term) =>
    recordsAt(term, 'matchExpressions').some((one) =>
      textsAt(one, 'values').some((value) => labelValue(value).length > 0),
    ),
  );
}

/** Whether a selector of the stored affinities has a fault. */
export function hasWrongAffinitySelectors(spec: JsonRecord | undefined): boolean {
  const affinity = recordAt(spec, 'affinity');
  if (affinity === undefined) return false;
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const preferred = recordsAt(affinity, kind, PREFERRED).map((one) => one['podAffinityTerm']);
    return [...recordsAt(affinity, kind, REQUIRED), ...preferred].some(
      (term) =>
        isWrong(recordAt(term, 'labelSelector')) || isWrong(recordAt(term, 'namespaceSelector')),
    );
  });
}

/** Whether a selector of the stored spreads has a fault. */
export function hasWrongSpreadSelectors(spec: JsonRecord | undefined): boolean {
  return recordsAt(spec, 'topologySpreadConstraints').some((one) => isWrong(one['labelSelector']));
}

/** Whether the keys of a stored spread have a fault. */
export function hasWrongSpreadKeys(spec: JsonRecord | undefined): boolean {
  const report = new Report({});
  for (const one of recordsAt(spec, 'topologySpreadConstraints')) checkLabelKeys(one, '', report);
  return report.causes.length > 0;
}
