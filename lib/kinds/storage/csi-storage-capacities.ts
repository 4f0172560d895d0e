import { deprecatedNodeLabel } from '../../server/registry/rules/deprecated-node-labels.ts';
import { recordAt, recordsAt } from '../../meta/json-value.ts';
import { checkedBy } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import {
  hasWrongSelectorValue,
  labelSelector,
} from '../../server/registry/validation/label-selector-checks.ts';
import { nonNegativeQuantity } from '../../server/registry/validation/quantity-checks.ts';
import { format, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

/** @see pkg/apis/storage/validation ValidateCSIStorageCapacity @ v1.36.3 */
const checks = all(
  fields({
    nodeTopology: (value, path, report, old) =>
      labelSelector({ strictValues: !hasWrongSelectorValue(old) })(value, path, report),
    storageClassName: format(dnsSubdomain),
    capacity: nonNegativeQuantity,
  }),
  fields({ nodeTopology: immutable, storageClassName: immutable }),
);

export const csiStorageCapacities: KindRules = {
  group: 'storage.k8s.io',
  resource: 'csistoragecapacities',
  strategy: {
    ...checkedBy(checks),
    warnings(capacity) {
      const found: string[] = [];
      const path = 'nodeTopology';
      for (const [index, { key }] of recordsAt(capacity, path, 'matchExpressions').entries()) {
        const message = deprecatedNodeLabel(key);
        if (message === undefined) continue;
        found.push(`${path}.matchExpressions[${index}].key: ${String(key)} is ${message}`);
      }
      for (const key of Object.keys(recordAt(capacity, path, 'matchLabels') ?? {})) {
        const message = deprecatedNodeLabel(key);
        if (message !== undefined) found.push(`${path}.matchLabels.${key}: ${message}`);
      }
      return found;
    },
  },
};
