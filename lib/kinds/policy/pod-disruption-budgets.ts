import { isRecord } from '../../meta/json-value.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { atMostAllPercent, intOrPercent } from '../../server/registry/validation/int-or-percent.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import { oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const onlyOne: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { minAvailable, maxUnavailable } = spec;
  if (minAvailable === undefined || maxUnavailable === undefined) return;
  const detail = 'minAvailable and maxUnavailable cannot be both set';
  report.invalid(path, goForm('policy.PodDisruptionBudgetSpec', spec), detail);
};

const amount = all(intOrPercent, atMostAllPercent);
const strictSelector = labelSelector();
const lenientSelector = labelSelector({ strictValues: false });

/** A stored selector may have values of before the rule. */
const selector: Check = (value, path, report, old) => {
  const isWrongAlready = isRecord(old) && causesOf(strictSelector, old).length > 0;
  (isWrongAlready ? lenientSelector : strictSelector)(value, path, report);
};

/** @see pkg/apis/policy/validation/validation.go ValidatePodDisruptionBudget @ v1.36.3 */
const budgetChecks: Check = fields({
  spec: all(
    onlyOne,
    fields({
      minAvailable: amount,
      maxUnavailable: amount,
      selector,
      unhealthyPodEvictionPolicy: oneOf(['AlwaysAllow', 'IfHealthyBudget']),
    }),
  ),
});

export const podDisruptionBudgets: KindRules = {
  group: 'policy',
  resource: 'poddisruptionbudgets',
  strategy: checkedBy(budgetChecks),
};
