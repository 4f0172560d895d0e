import { recordAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { nonNegative, positive } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

/** Fields of coordinated leader election, a feature that is off unless a cluster turns it on. */
const COORDINATED = ['strategy', 'preferredHolder'] as const;

function dropCoordinated(lease: MutableObject, existing?: MutableObject): void {
  const spec = recordAt(lease, 'spec');
  if (spec === undefined || COORDINATED.every((name) => spec[name] === undefined)) return;
  const before = recordAt(existing, 'spec');
  const kept = { ...spec };
  for (const name of COORDINATED) if (before?.[name] === undefined) delete kept[name];
  lease['spec'] = kept;
}

/** @see pkg/apis/coordination/validation/validation.go ValidateLeaseSpec @ v1.36.3 */
const leaseChecks: Check = fields({
  spec: fields({ leaseDurationSeconds: positive, leaseTransitions: nonNegative }),
});

export const leases: KindRules = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  strategy: {
    ...checkedBy(leaseChecks),
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate(lease) {
      dropCoordinated(lease);
    },
    prepareForUpdate(lease, existing) {
      dropCoordinated(lease, existing);
    },
  },
};
