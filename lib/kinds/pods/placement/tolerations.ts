import { recordsAt, textAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { labelValue, qualifiedName } from '../../../server/registry/validation/formats.ts';
import { filled } from '../report/small-checks.ts';
import { oneOf } from '../../../server/registry/validation/values.ts';
import { podCheck, type PodReport } from '../report/pod-report.ts';

const key = filled(qualifiedName);
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const effects = oneOf(EFFECTS);
const OPERATORS = ['Equal', 'Exists'];
const ALL_OPERATORS = [...OPERATORS, 'Lt', 'Gt'];

/**
 * The taints that a pod tolerates.
 * @see pkg/apis/core/validation/validation.go ValidateTolerations @ v1.36.3
 */
export const tolerations: Check = podCheck((list, path, pod) => {
  for (const [index, one] of recordsAt(list).entries()) {
    const at = `${path}[${index}]`;
    const operator = textAt(one, 'operator');
    const effect = textAt(one, 'effect');
    key(one['key'], `${at}.key`, pod);
    if (textAt(one, 'key') === '' && operator !== 'Exists') {
      const rule =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      pod.invalid(`${at}.operator`, operator, rule);
    }
    if (one['tolerationSeconds'] !== undefined && effect !== 'NoExecute') {
      const rule = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      pod.invalid(`${at}.effect`, effect, rule);
    }
    checkOperator(operator, textAt(one, 'value'), at, pod);
    if (effect !== '') effects(effect, `${at}.effect`, pod);
  }
});

function checkOperator(operator: string, value: string, at: string, pod: PodReport): void {
  const place = `${at}.operator`;
  if (operator === '' || operator === 'Equal') {
    const problems = labelValue(value);
    if (problems.length > 0) pod.invalid(place, value, problems.join(';'));
  } else if (operator === 'Exists') {
    const rule = "value must be empty when `operator` is 'Exists'";
    if (value !== '') pod.invalid(place, value, rule);
  } else {
    const isComparison = operator === 'Lt' || operator === 'Gt';
    pod.notSupported(place, operator, isComparison ? ALL_OPERATORS : OPERATORS);
  }
}
