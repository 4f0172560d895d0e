import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { all, fields, when } from '../../server/registry/validation/combine.ts';
import { domainPrefixedPath } from '../../server/registry/validation/domain-checks.ts';
import { isLonger } from '../../server/registry/validation/formats.ts';
import { nonNegative, oneOf } from '../../server/registry/validation/values.ts';
import { podTemplateChecks } from '../pods/pod-template.ts';
import { podFailurePolicy } from './pod-failure-policy.ts';
import { successPolicy } from './success-policy.ts';

const MOST_OF_INDEXED = 100_000;
const MANY_COMPLETIONS = 100_000;
const MOST_WITH_MANY = 10_000;
const LONGEST_MANAGER = 63;

const isSet = (value: unknown): boolean => value !== undefined;

const managedBy: Check = when(isSet, (value, path, report) => {
  domainPrefixedPath(value, path, report);
  if (typeof value === 'string' && isLonger(value, LONGEST_MANAGER)) {
    report.add(fieldTooLong(path, LONGEST_MANAGER, 'bytes'));
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
  report.add(fieldInvalid(`${path}.${name}`, value, detail));
}

/** The value is the spec. */
const indexedMode: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { completions, maxFailedIndexes, backoffLimitPerIndex } = spec;
  if (completions === undefined) {
    report.add(fieldRequired(`${path}.completions`, 'when completion mode is Indexed'));
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
    report.add(fieldRequired(`${path}.maxFailedIndexes`, detail));
  }
  const many = `must be less than or equal to ${MOST_WITH_MANY} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  limit(spec, 'parallelism', MOST_WITH_MANY, { path, report, words: many });
  limit(spec, 'maxFailedIndexes', MOST_WITH_MANY, { path, report, words: many });
};

const onlyIndexed: Check = when(isSet, (value, path, report) => {
  report.add(fieldInvalid(path, value, 'requires indexed completion mode'));
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
    report.add(fieldRequired(place, 'valid values: "OnFailure", "Never"'));
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    report.add(fieldNotSupported(place, policy, ['OnFailure', 'Never']));
  } else if (policy !== 'Never' && valueAt(spec, 'podFailurePolicy') !== undefined) {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    report.add(fieldInvalid(place, policy, detail));
  }
};

const limitOfFailures: Check = (spec, path, report) => {
  if (!isSet(valueAt(spec, 'maxFailedIndexes'))) return;
  if (isSet(valueAt(spec, 'backoffLimitPerIndex'))) return;
  report.add(fieldRequired(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
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
