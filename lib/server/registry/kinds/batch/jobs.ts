import { validatePodSpec } from '../pods/pod-spec.ts';

import type { FieldCause } from '../../../../meta/failures.ts';
import { fieldImmutable, fieldInvalid, fieldRequired } from '../../rules/field-causes.ts';
import { ensureRecord, jsonEqual, numberAt, recordAt, valueAt } from '../../rules/json-value.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** Sets a selector by the job's uid, so that no two jobs select the same pods. */
function generateSelector(job: MutableObject): void {
  const spec = recordAt(job, 'spec');
  const template = recordAt(spec, 'template');
  if (spec === undefined || template === undefined || spec['manualSelector'] === true) return;
  const { uid = '', name = '' } = job.metadata;
  const metadata = ensureRecord(template, 'metadata');
  const labels = metadata === undefined ? undefined : ensureRecord(metadata, 'labels');
  if (labels === undefined) return;
  const adoptsLabels = jsonEqual(job.metadata.labels ?? {}, labels);
  labels[CONTROLLER_UID] = uid;
  labels['batch.kubernetes.io/job-name'] = name;
  labels['controller-uid'] = uid;
  labels['job-name'] = name;
  spec['selector'] = { matchLabels: { [CONTROLLER_UID]: uid } };
  // A job without labels has those of its pods.
  if (adoptsLabels) job.metadata.labels = { ...(labels as Record<string, string>) };
}

function validate(job: MutableObject): FieldCause[] {
  const spec = recordAt(job, 'spec');
  if (spec === undefined) return [fieldRequired('spec')];
  const causes: FieldCause[] = [];
  for (const field of ['completions', 'parallelism', 'backoffLimit']) {
    const count = spec[field];
    if (typeof count === 'number' && count < 0) {
      causes.push(fieldInvalid(`spec.${field}`, count, 'must be greater than or equal to 0'));
    }
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
    prepareForCreate: generateSelector,
    defaultPropagation: 'Orphan',
    defaultPropagationWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    validate,
    validateUpdate,
  },
  selectableFields: {
    'status.successful': (job) => String(numberAt(job, 'status', 'succeeded')),
  },
  refuseField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
};
