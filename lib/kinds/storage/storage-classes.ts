import { deprecatedNodeLabel } from '../../server/registry/rules/deprecated-node-labels.ts';
import { fieldDuplicate, fieldNotSupported } from '../../server/registry/rules/field-causes.ts';
import { isRecord, jsonEqual, recordsAt, textsAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, required, unique } from '../../server/registry/validation/combine.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';
import { immutable, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { classParameters, provisionerName } from './class-parameters.ts';

const EXPRESSIONS = 'matchLabelExpressions';

const expression = fields({ values: required(unique()), key: labelName });

const expressions: Check = (list, path, report) => {
  const keys = new Set<unknown>();
  each((one, place) => {
    expression(one, place, report);
    const key = isRecord(one) ? one['key'] : undefined;
    if (keys.has(key)) report.add(fieldDuplicate(`${place}.key`, key));
    keys.add(key);
  })(list, path, report);
};

/** Terms that say the same. kube-apiserver also compares each with as many empty terms as there are. */
const topologies: Check = (terms, path, report) => {
  if (!Array.isArray(terms) || terms.length === 0) return;
  const seen: object[] = terms.map(() => ({}));
  for (const [index, one] of (terms as readonly unknown[]).entries()) {
    const place = `${path}[${index}]`;
    expressions(recordsAt(one, EXPRESSIONS), `${place}.${EXPRESSIONS}`, report);
    const form = Object.fromEntries(
      recordsAt(one, EXPRESSIONS).map((own) => [
        own['key'] ?? '',
        textsAt(own, 'values').toSorted(),
      ]),
    );
    for (const other of seen) {
      if (jsonEqual(form, other)) report.add(fieldDuplicate(`${place}.${EXPRESSIONS}`, ''));
    }
    seen.push(form);
  }
};

const reclaimPolicy: Check = (policy, path, report) => {
  const policies: readonly unknown[] = ['Delete', 'Retain'];
  if (policy === undefined || policy === '' || policies.includes(policy)) return;
  report.add(fieldNotSupported(path, policy, policies));
};

/** @see pkg/apis/storage/validation ValidateStorageClass @ v1.36.3 */
export const storageClasses: KindRules = {
  group: 'storage.k8s.io',
  resource: 'storageclasses',
  strategy: {
    ...checkedBy(
      all(
        fields({
          provisioner: provisionerName,
          parameters: classParameters({ required: false }),
          reclaimPolicy,
          volumeBindingMode: oneOf(['Immediate', 'WaitForFirstConsumer']),
          allowedTopologies: topologies,
        }),
        fields({
          parameters: immutable,
          provisioner: immutable,
          reclaimPolicy: immutable,
          volumeBindingMode: immutable,
        }),
      ),
    ),
    warnings: (storageClass) =>
      recordsAt(storageClass, 'allowedTopologies').flatMap((one, at) =>
        recordsAt(one, EXPRESSIONS).flatMap(({ key }, index) => {
          const message = deprecatedNodeLabel(key);
          if (message === undefined) return [];
          return [`allowedTopologies[${at}].${EXPRESSIONS}[${index}].key: ${message}`];
        }),
      ),
  },
};
