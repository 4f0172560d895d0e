import { deprecatedNodeLabel } from '../../server/registry/rules/deprecated-node-labels.ts';
import { isRecord, jsonEqual, recordsAt, textsAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  required,
  unique,
  isChanged,
} from '../../server/registry/validation/combine.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';
import { immutable, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { classParameters, provisionerName } from './class-parameters.ts';

const frozen: Check = (value, path, report, old) => {
  if (!isChanged(value, report, old)) return;
  report.forbidden(path, `updates to ${path} are forbidden.`);
};

/** @see pkg/apis/storage/validation ValidateVolumeAttributesClass @ v1.36.3 */
const checks = all(
  fields({ driverName: frozen, parameters: frozen }),
  fields({ driverName: provisionerName, parameters: classParameters({ required: true }) }),
);

export const volumeAttributesClasses: KindRules = {
  group: 'storage.k8s.io',
  resource: 'volumeattributesclasses',
  strategy: checkedBy(checks),
};

const EXPRESSIONS = 'matchLabelExpressions';

const expression = fields({ values: required(unique()), key: labelName });

const expressions: Check = (list, path, report) => {
  const keys = new Set<unknown>();
  each((one, place) => {
    expression(one, place, report);
    const key = isRecord(one) ? one['key'] : undefined;
    if (keys.has(key)) report.duplicate(`${place}.key`, key);
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
      if (jsonEqual(form, other)) report.duplicate(`${place}.${EXPRESSIONS}`, '');
    }
    seen.push(form);
  }
};

const reclaimPolicy: Check = (policy, path, report) => {
  const policies: readonly unknown[] = ['Delete', 'Retain'];
  if (policy === undefined || policy === '' || policies.includes(policy)) return;
  report.notSupported(path, policy, policies);
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
