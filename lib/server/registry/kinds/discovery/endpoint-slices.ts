import { jsonEqual } from '../../rules/json-value.ts';
import type { KindRules } from '../contract/kind-rules.ts';

export const endpointSlices: KindRules = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  strategy: {
    // The labels name the service, so that they count as content. See pkg/registry/discovery/endpointslice @ 1.36.3.
    prepareForUpdate({ metadata }, { metadata: existing }) {
      if (jsonEqual(metadata.labels ?? {}, existing.labels ?? {})) return;
      metadata.generation = (existing.generation ?? 0) + 1;
    },
  },
};
