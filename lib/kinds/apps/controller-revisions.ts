import { fieldRequired } from '../../server/registry/rules/field-causes.ts';
import { isRecord } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { immutable, nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const data: Check = (value, path, report, old) => {
  if (report.isUpdate) return immutable(value, path, report, old);
  if (isRecord(value)) return;
  const isNone = value === undefined || value === null;
  const detail = isNone ? 'data is mandatory' : 'data must be a valid JSON object';
  report.add(fieldRequired(path, detail));
};

/** @see pkg/apis/apps/validation/validation.go ValidateControllerRevisionCreate @ v1.36.3 */
const revisionChecks: Check = fields({ revision: nonNegative, data });

export const controllerRevisions: KindRules = {
  group: 'apps',
  resource: 'controllerrevisions',
  strategy: checkedBy(revisionChecks),
};
