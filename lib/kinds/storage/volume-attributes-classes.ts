import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isChanged } from '../../server/registry/validation/combine.ts';
import { fieldForbidden } from '../../server/registry/rules/field-causes.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { classParameters, provisionerName } from './class-parameters.ts';

const frozen: Check = (value, path, report, old) => {
  if (!isChanged(value, report, old)) return;
  report.add(fieldForbidden(path, `updates to ${path} are forbidden.`));
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
