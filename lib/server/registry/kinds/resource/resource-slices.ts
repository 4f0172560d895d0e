import { textAt } from '../../rules/json-value.ts';
import type { KindRules } from '../contract/kind-rules.ts';

export const resourceSlices: KindRules = {
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  selectableFields: {
    'spec.nodeName': (slice) => textAt(slice, 'spec', 'nodeName'),
    'spec.driver': (slice) => textAt(slice, 'spec', 'driver'),
  },
};
