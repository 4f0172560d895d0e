import {
  isRecord,
  valueAt,
  numberAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { all, fields, when, each } from '../../server/registry/validation/combine.ts';
import { domainPrefixedPath } from '../../server/registry/validation/domain-checks.ts';
import { isLonger } from '../../server/registry/validation/formats.ts';
import { nonNegative, oneOf } from '../../server/registry/validation/values.ts';
import { podTemplateChecks } from '../pods/pod-template.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { countIndexes } from './index-intervals.ts';
import { listOfTexts } from '../../server/registry/rules/go-text.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';

const MOST_RULES = 20;
const MOST_PATTERNS = 20;
const MOST_VALUES = 255;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

function noMore(most: number): Check {
  return (list, path, report) => {
    if (Array.isArray(list) && list.length > most) report.tooMany(path, list.length, most);
  };
}

/** A required text of a few, which the message names. */
function oneOfThese(values: readonly string[]): Check {
  return (value, path, report) => {
    if (value === undefined || value === '') {
      report.required(path, `valid values: ${listOfTexts(values)}`);
    } else if (!values.includes(value as string)) report.notSupported(path, value, values);
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
    report.invalid(`${path}.containerName`, containerName, detail);
  }
  exitValues(values, codes['operator'], `${path}.values`, report);
}

function exitValues(values: unknown, operatorName: unknown, path: string, report: Report): void {
  if (!Array.isArray(values) || values.length === 0) {
    report.invalid(path, values ?? null, 'at least one value is required');
    return;
  }
  noMoreValues(values, path, report);
  const seen = new Set<unknown>();
  let isOrdered = true;
  for (const [index, value] of (values as readonly number[]).entries()) {
    if (operatorName === 'In' && value === 0) {
      report.invalid(`${path}[${index}]`, value, 'must not be 0 for the In operator');
    }
    if (seen.has(value)) report.duplicate(`${path}[${index}]`, value);
    seen.add(value);
    if (index > 0 && values[index - 1] > value) isOrdered = false;
  }
  if (!isOrdered) report.invalid(path, values, 'must be ordered');
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
    report.invalid(`${path}.action`, action, detail);
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
    report.invalidHere(path, detail);
  }
}

/** `spec.podFailurePolicy`; the value is the spec of a job. @see pkg/apis/batch/validation/validation.go @ v1.36.3 */
const podFailurePolicy: Check = (spec, path, report) => {
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

const LONGEST_INDEXES = 64 * 1024;

function indexCount(text: string, path: string, report: Report, completions: number): number {
  if (isLonger(text, LONGEST_INDEXES)) report.tooLong(path, LONGEST_INDEXES, 'bytes');
  const count = countIndexes(text, completions);
  if (typeof count === 'number') return count;
  report.invalid(path, text, `error parsing succeededIndexes: ${count}`);
  return 0;
}

function successRule(rule: JsonRecord, path: string, report: Report, completions: number): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined) {
    const detail = 'at least one of succeededCount or succeededIndexes must be specified';
    report.required(path, detail);
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
    report.invalid(place, count, `must be less than or equal to ${most} (${what})`);
  };
  tooMany(completions, 'the number of specified completions');
  if (total !== undefined) {
    tooMany(total, 'the number of indexes in the specified succeededIndexes field');
  }
}

/** `spec.successPolicy`; the value is the spec of a job. @see pkg/apis/batch/validation/validation.go @ v1.36.3 */
const successPolicy: Check = (spec, path, report) => {
  const policy = valueAt(spec, 'successPolicy');
  if (!isRecord(policy)) return;
  const place = `${path}.successPolicy`;
  if (valueAt(spec, 'completionMode') !== 'Indexed') {
    const shown = goForm('batch.SuccessPolicy', policy);
    report.invalid(place, shown, 'requires indexed completion mode');
    return;
  }
  const rules = recordsAt(policy, 'rules');
  if (rules.length === 0) {
    const detail = 'at least one rules must be specified when the successPolicy is specified';
    report.required(`${place}.rules`, detail);
  }
  fewRules(rules, `${place}.rules`, report);
  const completions = numberAt(spec, 'completions');
  for (const [index, rule] of rules.entries()) {
    successRule(rule, `${place}.rules[${index}]`, report, completions);
  }
};

const MOST_OF_INDEXED = 100_000;
const MANY_COMPLETIONS = 100_000;
const MOST_WITH_MANY = 10_000;
const LONGEST_MANAGER = 63;

const isSet = (value: unknown): boolean => value !== undefined;

const managedBy: Check = when(isSet, (value, path, report) => {
  domainPrefixedPath(value, path, report);
  if (typeof value === 'string' && isLonger(value, LONGEST_MANAGER)) {
    report.tooLong(path, LONGEST_MANAGER, 'bytes');
  }
});

/** Reports a number of the spec that is more than `most`. */
function limit(
  spec: JsonRecord,
  name: string,
  most: number,
  {
    path,
    report,
    words,
  }: { readonly path: string; readonly report: Report; readonly words?: string },
): void {
  const value = spec[name];
  if (typeof value !== 'number' || value <= most) return;
  const detail = words ?? `must be less than or equal to ${most}`;
  report.invalid(`${path}.${name}`, value, detail);
}

/** The value is the spec. */
const indexedMode: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { completions, maxFailedIndexes, backoffLimitPerIndex } = spec;
  if (completions === undefined) {
    report.required(`${path}.completions`, 'when completion mode is Indexed');
  }
  const words = `must be less than or equal to ${MOST_OF_INDEXED} when completion mode is Indexed`;
  limit(spec, 'parallelism', MOST_OF_INDEXED, { path, report, words });
  if (typeof completions === 'number') {
    const rule = 'must be less than or equal to completions';
    limit(spec, 'maxFailedIndexes', completions, { path, report, words: rule });
  }
  limit(spec, 'maxFailedIndexes', MOST_OF_INDEXED, { path, report });
  if (typeof completions !== 'number' || completions <= MANY_COMPLETIONS) return;
  if (backoffLimitPerIndex === undefined) return;
  if (maxFailedIndexes === undefined) {
    const detail = `must be specified when completions is above ${MANY_COMPLETIONS}`;
    report.required(`${path}.maxFailedIndexes`, detail);
  }
  const many = `must be less than or equal to ${MOST_WITH_MANY} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  limit(spec, 'parallelism', MOST_WITH_MANY, { path, report, words: many });
  limit(spec, 'maxFailedIndexes', MOST_WITH_MANY, { path, report, words: many });
};

const onlyIndexed: Check = when(isSet, (value, path, report) => {
  report.invalid(path, value, 'requires indexed completion mode');
});

const nonIndexedMode = fields({ backoffLimitPerIndex: onlyIndexed, maxFailedIndexes: onlyIndexed });

const completionMode: Check = (spec, path, report) => {
  const mode = valueAt(spec, 'completionMode');
  modes(mode, `${path}.completionMode`, report);
  if (mode === 'Indexed') indexedMode(spec, path, report);
  if (mode === undefined || mode === 'NonIndexed') nonIndexedMode(spec, path, report);
};

const modes = oneOf(['NonIndexed', 'Indexed']);
const whenFailed = oneOf(['Failed']);
const anyReplacement = oneOf(['Failed', 'TerminatingOrFailed']);

/** With a policy for failures, only failed pods are replaced. */
const podReplacementPolicy: Check = (spec, path, report) => {
  const hasPolicy = valueAt(spec, 'podFailurePolicy') !== undefined;
  const policies = hasPolicy ? whenFailed : anyReplacement;
  policies(valueAt(spec, 'podReplacementPolicy'), `${path}.podReplacementPolicy`, report);
};

const restartPolicy: Check = (spec, path, report) => {
  const place = `${path}.template.spec.restartPolicy`;
  const policy = valueAt(spec, 'template', 'spec', 'restartPolicy') ?? '';
  if (policy === 'Always' || policy === '') {
    report.required(place, 'valid values: "OnFailure", "Never"');
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    report.notSupported(place, policy, ['OnFailure', 'Never']);
  } else if (policy !== 'Never' && valueAt(spec, 'podFailurePolicy') !== undefined) {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    report.invalid(place, policy, detail);
  }
};

const limitOfFailures: Check = (spec, path, report) => {
  if (!isSet(valueAt(spec, 'maxFailedIndexes'))) return;
  if (isSet(valueAt(spec, 'backoffLimitPerIndex'))) return;
  report.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
};

/**
 * The spec of a job, and of the template of a cron job.
 * @see pkg/apis/batch/validation/validation.go validateJobSpec @ v1.36.3
 */
export const jobSpec: Check = all(
  fields({
    parallelism: nonNegative,
    completions: nonNegative,
    activeDeadlineSeconds: nonNegative,
    backoffLimit: nonNegative,
    ttlSecondsAfterFinished: nonNegative,
    backoffLimitPerIndex: nonNegative,
    maxFailedIndexes: nonNegative,
  }),
  limitOfFailures,
  fields({ managedBy }),
  completionMode,
  podFailurePolicy,
  successPolicy,
  podReplacementPolicy,
  fields({ template: podTemplateChecks }),
  restartPolicy,
);
