import { isRecord } from '../../../meta/json-value.ts';
import type { Check } from './check.ts';
import { all, each, fields, requiredFor, unique } from './combine.ts';
import { conditionReason, isLonger } from './formats.ts';
import { labelName } from './label-selector-checks.ts';
import { atLeast, format, oneOf } from './values.ts';

const LONGEST_REASON = 1024;
const LONGEST_MESSAGE = 32 * 1024;

function noLonger(limit: number): Check {
  return (value, path, report) => {
    if (typeof value === 'string' && isLonger(value, limit)) report.tooLong(path, limit, 'bytes');
  };
}

const conditionStatus = oneOf(['False', 'True', 'Unknown']);

const condition: Check = fields({
  type: labelName,
  status: (value, path, report) => conditionStatus(value ?? '', path, report),
  observedGeneration: atLeast(0, 'must be greater than or equal to zero'),
  lastTransitionTime: requiredFor(''),
  reason: requiredFor('', format(conditionReason), noLonger(LONGEST_REASON)),
  message: noLonger(LONGEST_MESSAGE),
});

const typeOf = (item: unknown): unknown => (isRecord(item) ? (item['type'] ?? '') : '');

/** Conditions of the shared type. @see apimachinery pkg/apis/meta/v1/validation/validation.go ValidateConditions @ v0.36.3 */
export const conditionsCheck: Check = all(unique(typeOf, 'type'), each(condition));
