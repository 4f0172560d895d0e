import {
  fieldDuplicate,
  fieldInvalid,
  fieldInvalidHere,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../server/registry/rules/field-causes.ts';
import { listOfTexts } from '../../server/registry/rules/go-text.ts';
import {
  isRecord,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { each, fields } from '../../server/registry/validation/combine.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';

const MOST_RULES = 20;
const MOST_PATTERNS = 20;
const MOST_VALUES = 255;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

export function noMore(most: number): Check {
  return (list, path, report) => {
    if (Array.isArray(list) && list.length > most) {
      report.add(fieldTooMany(path, list.length, most));
    }
  };
}

/** A required text of a few, which the message names. */
function oneOfThese(values: readonly string[]): Check {
  return (value, path, report) => {
    if (value === undefined || value === '') {
      report.add(fieldRequired(path, `valid values: ${listOfTexts(values)}`));
    } else if (!values.includes(value as string))
      report.add(fieldNotSupported(path, value, values));
  };
}

const operator = oneOfThese(OPERATORS);
const knownAction = oneOfThese(ACTIONS);
const patterns = each(fields({ type: labelName, status: oneOfThese(STATUSES) }));
const fewPatterns = noMore(MOST_PATTERNS);
const fewRules = noMore(MOST_RULES);

function exitCodes(codes: JsonRecord, path: string, report: Report, names: Set<string>): void {
  operator(codes['operator'], `${path}.operator`, report);
  const { containerName, values } = codes;
  if (typeof containerName === 'string' && !names.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    report.add(fieldInvalid(`${path}.containerName`, containerName, detail));
  }
  exitValues(values, codes['operator'], `${path}.values`, report);
}

function exitValues(values: unknown, operatorName: unknown, path: string, report: Report): void {
  if (!Array.isArray(values) || values.length === 0) {
    report.add(fieldInvalid(path, values ?? null, 'at least one value is required'));
    return;
  }
  noMoreValues(values, path, report);
  const seen = new Set<unknown>();
  let isOrdered = true;
  for (const [index, value] of (values as readonly number[]).entries()) {
    if (operatorName === 'In' && value === 0) {
      report.add(fieldInvalid(`${path}[${index}]`, value, 'must not be 0 for the In operator'));
    }
    if (seen.has(value)) report.add(fieldDuplicate(`${path}[${index}]`, value));
    seen.add(value);
    if (index > 0 && values[index - 1] > value) isOrdered = false;
  }
  if (!isOrdered) report.add(fieldInvalid(path, values, 'must be ordered'));
}

const noMoreValues = noMore(MOST_VALUES);

function failureRule(
  rule: JsonRecord,
  path: string,
  report: Report,
  { names, perIndex }: { readonly names: Set<string>; readonly perIndex: boolean },
): void {
  const { action, onExitCodes } = rule;
  if (action !== 'FailIndex') knownAction(action, `${path}.action`, report);
  else if (!perIndex) {
    const detail = 'requires the backoffLimitPerIndex to be set';
    report.add(fieldInvalid(`${path}.action`, action, detail));
  }
  const conditions = recordsAt(rule, 'onPodConditions');
  const hasCodes = isRecord(onExitCodes);
  if (hasCodes) exitCodes(onExitCodes, `${path}.onExitCodes`, report, names);
  fewPatterns(conditions, `${path}.onPodConditions`, report);
  patterns(conditions, `${path}.onPodConditions`, report);
  if (hasCodes === conditions.length > 0) {
    const detail = hasCodes
      ? 'specifying both OnExitCodes and OnPodConditions is not supported'
      : 'specifying one of OnExitCodes and OnPodConditions is required';
    report.add(fieldInvalidHere(path, detail));
  }
}

/** `spec.podFailurePolicy`; the value is the spec of a job. @see pkg/apis/batch/validation/validation.go @ v1.36.3 */
export const podFailurePolicy: Check = (spec, path, report) => {
  const policy = valueAt(spec, 'podFailurePolicy');
  if (!isRecord(policy)) return;
  const place = `${path}.podFailurePolicy.rules`;
  const rules = recordsAt(policy, 'rules');
  fewRules(rules, place, report);
  const pod = valueAt(spec, 'template', 'spec');
  const names = new Set(
    [...recordsAt(pod, 'containers'), ...recordsAt(pod, 'initContainers')].map((one) =>
      textAt(one, 'name'),
    ),
  );
  const perIndex = valueAt(spec, 'backoffLimitPerIndex') !== undefined;
  for (const [index, rule] of rules.entries()) {
    failureRule(rule, `${place}[${index}]`, report, { names, perIndex });
  }
};
