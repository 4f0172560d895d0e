import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { checkedBy } from '../../server/registry/validation/check.ts';
import { each, fields } from '../../server/registry/validation/combine.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { atMostItems } from './bounded-lists.ts';
import { MOST_CONFIGURATIONS, selectors } from './device-claims.ts';
import { deviceConfiguration } from './device-configuration.ts';
import { isExtendedResource } from './device-names.ts';

/** @see pkg/apis/resource/validation validateDeviceClassSpec @ v1.36.3 */
export const deviceClasses: KindRules = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  strategy: checkedBy(
    fields({
      spec: fields({
        selectors,
        config: atMostItems(MOST_CONFIGURATIONS, each(deviceConfiguration)),
        extendedResourceName: (name, path, report) => {
          if (typeof name !== 'string' || isExtendedResource(name)) return;
          report.add(fieldInvalid(path, name, 'must be a valid extended resource name'));
        },
      }),
    }),
  ),
};
