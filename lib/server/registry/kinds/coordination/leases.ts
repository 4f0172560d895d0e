import type { FieldCause } from '../../../../meta/failures.ts';
import { fieldInvalid } from '../../rules/field-causes.ts';
import { valueAt } from '../../rules/json-value.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

function validate(lease: MutableObject): FieldCause[] {
  const causes: FieldCause[] = [];
  const duration = valueAt(lease, 'spec', 'leaseDurationSeconds');
  if (duration !== undefined && duration !== null) {
    if (!Number.isInteger(duration) || (duration as number) <= 0) {
      causes.push(fieldInvalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
    }
  }
  const transitions = valueAt(lease, 'spec', 'leaseTransitions');
  if (transitions !== undefined && transitions !== null) {
    if (!Number.isInteger(transitions) || (transitions as number) < 0) {
      const rule = 'must be greater than or equal to 0';
      causes.push(fieldInvalid('spec.leaseTransitions', transitions, rule));
    }
  }
  return causes;
}

export const leases: KindRules = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  strategy: { allowCreateOnUpdate: true, allowUnconditionalUpdate: false, validate },
};
