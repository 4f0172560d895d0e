import {
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  numberAt,
  recordsAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { isLonger } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import { countIndexes } from './index-intervals.ts';
import { noMore } from './pod-failure-policy.ts';

const MOST_RULES = 20;
const LONGEST_INDEXES = 64 * 1024;

const fewRules = noMore(MOST_RULES);

function indexCount(text: string, path: string, report: Report, completions: number): number {
  if (isLonger(text, LONGEST_INDEXES)) report.add(fieldTooLong(path, LONGEST_INDEXES, 'bytes'));
  const count = countIndexes(text, completions);
  if (typeof count === 'number') return count;
  report.add(fieldInvalid(path, text, `error parsing succeededIndexes: ${count}`));
  return 0;
}

function successRule(rule: JsonRecord, path: string, report: Report, completions: number): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined) {
    const detail = 'at least one of succeededCount or succeededIndexes must be specified';
    report.add(fieldRequired(path, detail));
  }
  const total =
    typeof indexes === 'string'
      ? indexCount(indexes, `${path}.succeededIndexes`, report, completions)
      : undefined;
  if (typeof count !== 'number') return;
  const place = `${path}.succeededCount`;
  nonNegative(count, place, report);
  const tooMany = (most: number, what: string): void => {
    if (count <= most) return;
    report.add(fieldInvalid(place, count, `must be less than or equal to ${most} (${what})`));
  };
  tooMany(completions, 'the number of specified completions');
  if (total !== undefined) {
    tooMany(total, 'the number of indexes in the specified succeededIndexes field');
  }
}

/** `spec.successPolicy`; the value is the spec of a job. @see pkg/apis/batch/validation/validation.go @ v1.36.3 */
export const successPolicy: Check = (spec, path, report) => {
  const policy = valueAt(spec, 'successPolicy');
  if (!isRecord(policy)) return;
  const place = `${path}.successPolicy`;
  if (valueAt(spec, 'completionMode') !== 'Indexed') {
    const shown = goForm('batch.SuccessPolicy', policy);
    report.add(fieldInvalid(place, shown, 'requires indexed completion mode'));
    return;
  }
  const rules = recordsAt(policy, 'rules');
  if (rules.length === 0) {
    const detail = 'at least one rules must be specified when the successPolicy is specified';
    report.add(fieldRequired(`${place}.rules`, detail));
  }
  fewRules(rules, `${place}.rules`, report);
  const completions = numberAt(spec, 'completions');
  for (const [index, rule] of rules.entries()) {
    successRule(rule, `${place}.rules[${index}]`, report, completions);
  }
};
