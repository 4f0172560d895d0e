import { deprecatedNodeLabel } from '../../server/registry/rules/deprecated-node-labels.ts';
import { fieldDuplicate } from '../../server/registry/rules/field-causes.ts';
import { isRecord, recordAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required } from '../../server/registry/validation/combine.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { labelMap } from '../../server/registry/validation/label-selector-checks.ts';
import { tolerations } from '../../server/registry/validation/toleration-checks.ts';
import { format, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { overheadResources } from './overhead-resources.ts';

const uniqueTolerations: Check = (list, path, report) => {
  const seen = new Set<string>();
  each((one, place) => {
    const { key = '', operator = '', value = '', effect = '' } = isRecord(one) ? one : {};
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) report.add(fieldDuplicate(place, goForm('core.Toleration', one)));
    seen.add(text);
  })(list, path, report);
};

/** @see pkg/apis/node/validation ValidateRuntimeClass @ v1.36.3 */
const checks = all(
  fields({
    handler: required(format(dnsLabel)),
    // Overhead is checked as the limits of a container, and its path says so.
    overhead: (overhead, path, report) =>
      overheadResources(recordAt(overhead, 'podFixed'), `${path}.limits`, report),
    scheduling: fields({
      nodeSelector: labelMap,
      tolerations: all(tolerations(), uniqueTolerations),
    }),
  }),
  fields({ handler: immutable }),
);

export const runtimeClasses: KindRules = {
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  strategy: {
    ...checkedBy(checks),
    warnings: (runtimeClass) =>
      Object.keys(recordAt(runtimeClass, 'scheduling', 'nodeSelector') ?? {}).flatMap((key) => {
        const message = deprecatedNodeLabel(key);
        return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
      }),
  },
};
