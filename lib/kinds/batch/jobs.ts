import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { jsonEqual, numberAt, valueAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, when } from '../../server/registry/validation/combine.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { fixedSelector } from '../apps/workload-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { generatedSelector, generateSelector, jobSelector, nameOf } from './job-selector.ts';
import { jobSpec } from './job-spec.ts';
import { jobStatusCauses } from './job-status.ts';
import { fixedTemplate } from './job-template-update.ts';
import { jobWarnings } from './job-warnings.ts';

/** The host name of a pod of an indexed job ends with its index. */
const hostNames: Check = (job, _path, report) => {
  const completions = numberAt(job, 'spec', 'completions');
  if (valueAt(job, 'spec', 'completionMode') !== 'Indexed' || completions <= 0) return;
  const name = nameOf(job);
  const longest = `${name}-${completions - 1}`;
  if (dnsLabel(longest).length === 0) return;
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  report.add(fieldInvalid('metadata.name', name, detail));
};

/** Shown as the internal type when `type` is given. */
function fixed(type?: string): Check {
  return (value, path, report, old) => {
    if (jsonEqual(value, old)) return;
    const shown = type === undefined ? (value ?? null) : goForm(type, value);
    report.add(fieldInvalid(path, shown, 'field is immutable'));
  };
}

/** Of an indexed job together with the parallelism; of another one not at all. */
const completions: Check = (spec, path, report, old) => {
  const [value, before] = [valueAt(spec, 'completions'), valueAt(old, 'completions')];
  if (value === before) return;
  const place = `${path}.completions`;
  if (valueAt(spec, 'completionMode') !== 'Indexed') {
    report.add(fieldInvalid(place, value ?? null, 'field is immutable'));
  } else if (value !== undefined && value !== valueAt(spec, 'parallelism')) {
    const detail = `can only be modified in tandem with ${path}.parallelism`;
    report.add(fieldInvalid(place, value, detail));
  }
};

const spec = fields({ spec: all(jobSpec, jobSelector) });

/** An update is checked as a new job, and once more with the old one. */
const update = all(
  spec,
  fields({
    spec: all(
      completions,
      fields({
        selector: fixedSelector,
        template: fixedTemplate,
        completionMode: fixed(),
        podFailurePolicy: fixed('batch.PodFailurePolicy'),
        backoffLimitPerIndex: fixed(),
        managedBy: fixed(),
        successPolicy: fixed('batch.SuccessPolicy'),
      }),
    ),
  }),
);

/** @see pkg/apis/batch/validation/validation.go ValidateJob, ValidateJobUpdate @ v1.36.3 */
const jobChecks: Check = all(
  generatedSelector,
  spec,
  hostNames,
  when((_job, { isUpdate }) => isUpdate, update),
);

export const jobs: KindRules = {
  group: 'batch',
  resource: 'jobs',
  strategy: {
    ...checkedBy(jobChecks),
    prepareForCreate: generateSelector,
    defaultPropagation: 'Orphan',
    defaultPropagationWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    warnings: jobWarnings,
  },
  statusStrategy: newStatusStrategy({ validateUpdate: jobStatusCauses, labelsOfTemplate: true }),
  selectableFields: {
    'status.successful': (job) => String(numberAt(job, 'status', 'succeeded')),
  },
  refuseField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
};
