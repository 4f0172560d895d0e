import { fieldInvalid, fieldNotSupported } from '../../server/registry/rules/field-causes.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { each, fields, requiredFor, when } from '../../server/registry/validation/combine.ts';
import { nonNegativeQuantity } from '../../server/registry/validation/quantity-checks.ts';
import { oneOf } from '../../server/registry/validation/values.ts';

const LONGEST_PERIOD = 1800;
const LONGEST_WINDOW = 3600;

/** A number, 0 when it is absent, that is not below `least` and not above `most`. */
function inLimits(least: number, words: string, most: number): Check {
  return (value = 0, path, report) => {
    if (typeof value !== 'number') return;
    if (value < least) report.add(fieldInvalid(path, value, words));
    if (value > most) {
      report.add(fieldInvalid(path, value, `must be less than or equal to ${most}`));
    }
  };
}

const POLICY_TYPES = ['Percent', 'Pods'];

const aboveZero = 'must be greater than zero';

const policy = fields({
  type: (value = '', path, report) => {
    if (POLICY_TYPES.includes(value as string)) return;
    report.add(fieldNotSupported(path, value, POLICY_TYPES));
  },
  value: inLimits(1, aboveZero, Infinity),
  periodSeconds: inLimits(1, aboveZero, LONGEST_PERIOD),
});

const rules = when(
  (value) => value !== undefined,
  fields({
    stabilizationWindowSeconds: inLimits(
      0,
      'must be greater than or equal to zero',
      LONGEST_WINDOW,
    ),
    selectPolicy: oneOf(['Disabled', 'Max', 'Min']),
    policies: requiredFor('must specify at least one Policy', each(policy)),
    tolerance: nonNegativeQuantity,
  }),
);

/** How fast an autoscaler scales. @see pkg/apis/autoscaling/validation/validation.go validateBehavior @ v1.36.3 */
export const behaviorCheck: Check = fields({ scaleUp: rules, scaleDown: rules });
