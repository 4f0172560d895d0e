import { validatePodSpec } from '../pods/pod-spec.ts';
import { validateCount } from '../apps/workload.ts';
import type { FieldCause } from '../../../../meta/failures.ts';
import { fieldImmutable, fieldRequired } from '../../rules/field-causes.ts';
import {
  defaultTo,
  ensureRecord,
  jsonEqual,
  numberAt,
  recordAt,
  valueAt,
} from '../../rules/json-value.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import { defaultPodTemplate } from '../pods/pod-defaults.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

function setDefaults(job: MutableObject): void {
  const spec = recordAt(job, 'spec');
  if (spec === undefined) return;
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) {
    spec['completions'] = 1;
  }
  defaultTo(spec, 'parallelism', 1);
  defaultTo(spec, 'backoffLimit', 6);
  defaultTo(spec, 'completionMode', 'NonIndexed');
  defaultTo(spec, 'suspend', false);
  defaultTo(spec, 'podReplacementPolicy', 'TerminatingOrFailed');
  defaultPodTemplate(spec);
}

/** Sets a selector by the job's uid, so that no two jobs select the same pods. */
function generateSelector(job: MutableObject): void {
  const spec = recordAt(job, 'spec');
  const template = recordAt(spec, 'template');
  if (spec === undefined || template === undefined || spec['manualSelector'] === true) return;
  const { uid = '', name = '' } = job.metadata;
  const metadata = ensureRecord(template, 'metadata');
  const labels = metadata === undefined ? undefined : ensureRecord(metadata, 'labels');
  if (labels === undefined) return;
  labels[CONTROLLER_UID] = uid;
  labels['batch.kubernetes.io/job-name'] = name;
  labels['controller-uid'] = uid;
  labels['job-name'] = name;
  spec['selector'] = { matchLabels: { [CONTROLLER_UID]: uid } };
}

function validate(job: MutableObject): FieldCause[] {
  const spec = recordAt(job, 'spec');
  if (spec === undefined) return [fieldRequired('spec')];
  const causes: FieldCause[] = [];
  for (const field of ['completions', 'parallelism', 'backoffLimit']) {
    causes.push(...validateCount(spec[field], `spec.${field}`));
  }
  const pod = recordAt(spec, 'template', 'spec');
  return [...causes, ...validatePodSpec(pod, 'spec.template.spec', ['OnFailure', 'Never'])];
}

function validateUpdate(job: MutableObject, existing: MutableObject): FieldCause[] {
  const causes = validate(job);
  for (const field of ['selector', 'completionMode']) {
    const value = valueAt(job, 'spec', field);
    if (!jsonEqual(value, valueAt(existing, 'spec', field))) {
      causes.push(fieldImmutable(`spec.${field}`, value));
    }
  }
  return causes;
}

export const jobs: KindRules = {
  group: 'batch',
  resource: 'jobs',
  strategy: {
    newStatus: {},
    setDefaults,
    prepareForCreate: generateSelector,
    validate,
    validateUpdate,
  },
  selectableFields: {
    'status.successful': (job) => String(numberAt(job, 'status', 'succeeded')),
  },
  refuseField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
};
