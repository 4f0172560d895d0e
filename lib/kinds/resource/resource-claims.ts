import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { fieldImmutable } from '../../server/registry/rules/field-causes.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { fields, isChanged } from '../../server/registry/validation/combine.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { claimTemplateMetadata } from '../pods/volumes/ephemeral-volume.ts';
import { AdminAccess } from './admin-access.ts';
import { claimStatusCauses } from './claim-status.ts';
import { deviceClaim } from './device-claims.ts';

const GROUP = 'resource.k8s.io';

/** A spec that stays as it is; at an update nothing else is said of it. */
function fixed(type: string, check: Check): Check {
  return (spec, path, report, old) => {
    if (!report.isUpdate) check(spec, path, report);
    else if (isChanged(spec, report, old)) {
      report.add(fieldImmutable(path, goForm(type, spec)));
    }
  };
}

const spec = fields({ devices: deviceClaim });

export const resourceClaims: KindRules = {
  group: GROUP,
  resource: 'resourceclaims',
  strategy: checkedBy(fields({ spec: fixed('resource.ResourceClaimSpec', spec) })),
  statusStrategy: newStatusStrategy({ keepMetadata: true, validateUpdate: claimStatusCauses }),
  newHooks: (parts) => new AdminAccess(parts, ['spec']),
};

export const resourceClaimTemplates: KindRules = {
  group: GROUP,
  resource: 'resourceclaimtemplates',
  strategy: checkedBy(
    fields({
      spec: fixed(
        'resource.ResourceClaimTemplateSpec',
        fields({ metadata: claimTemplateMetadata, spec }),
      ),
    }),
  ),
  newHooks: (parts) => new AdminAccess(parts, ['spec', 'spec']),
};
