import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { textAt, valueAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, when } from '../../server/registry/validation/combine.ts';
import { format, nonNegative, oneOf } from '../../server/registry/validation/values.ts';
import { shownSelector } from '../apps/workload-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { jobSpec } from './job-spec.ts';
import { jobWarnings } from './job-warnings.ts';
import { scheduleZoneProblems } from './time-zone.ts';

/** A name of a job is at most 63 characters, and 11 are appended to the name of a cron job. */
const LONGEST_NAME = 52;

/** The value is the spec. */
const schedule: Check = (spec, path, report, old) => {
  const text = textAt(spec, 'schedule');
  const place = `${path}.schedule`;
  if (text === '') return report.add(fieldRequired(place));
  const problem = scheduleProblem(text);
  if (problem !== undefined) report.add(fieldInvalid(place, text, problem));
  if (!text.includes('TZ')) return;
  if (!textAt(old, 'schedule').includes('TZ')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    report.add(fieldInvalid(place, text, detail));
  } else if (valueAt(spec, 'timeZone') !== undefined) {
    const detail = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
    report.add(fieldInvalid(place, text, detail));
  }
};

const POLICIES = oneOf(['Allow', 'Forbid', 'Replace']);

const concurrencyPolicy: Check = (value, path, report) => {
  if (value === undefined || value === '') report.add(fieldRequired(path));
  else POLICIES(value, path, report);
};

const noSelector: Check = when(
  (value) => value !== undefined,
  (value, path, report) => {
    report.add(fieldInvalid(path, shownSelector(value), '`selector` will be auto-generated'));
  },
);

const notManual: Check = (value, path, report) => {
  if (value === true) report.add(fieldNotSupported(path, value, ['nil', 'false']));
};

const shortName: Check = (object, _path, report) => {
  const name = textAt(object, 'metadata', 'name');
  if (report.isUpdate || name.length <= LONGEST_NAME) return;
  const detail = `must be no more than ${LONGEST_NAME} characters`;
  report.add(fieldInvalid('metadata.name', name, detail));
};

const timeZone = when(
  (value, { isUpdate }, old) => !isUpdate || value !== old,
  format(scheduleZoneProblems),
);

/** @see pkg/apis/batch/validation/validation.go ValidateCronJobCreate @ v1.36.3 */
const cronJobChecks: Check = all(
  fields({
    spec: all(
      schedule,
      fields({
        startingDeadlineSeconds: nonNegative,
        timeZone: timeZone,
        concurrencyPolicy,
        jobTemplate: fields({
          spec: all(jobSpec, fields({ selector: noSelector, manualSelector: notManual })),
        }),
        successfulJobsHistoryLimit: nonNegative,
        failedJobsHistoryLimit: nonNegative,
      }),
    ),
  }),
  shortName,
);

export const cronJobs: KindRules = {
  group: 'batch',
  resource: 'cronjobs',
  strategy: {
    ...checkedBy(cronJobChecks),
    warnings: (cronJob, existing) =>
      jobWarnings(cronJob, existing, ['spec', 'jobTemplate', 'spec']),
  },
};
