import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { fields, required } from '../../server/registry/validation/combine.ts';
import { labelValue } from '../../server/registry/validation/formats.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';

const effect = oneOf(['NoExecute', 'NoSchedule', 'None']);

export const deviceTaint: Check = fields({
  key: labelName,
  value: format(labelValue),
  effect: required(effect),
});

/** @see pkg/apis/resource/validation validateDeviceToleration @ v1.36.3 */
export const deviceToleration: Check = (toleration, path, report) => {
  if (!isRecord(toleration)) return;
  const { key = '', operator = '', value = '', effect: given = '' } = toleration;
  if (key !== '') labelName(key, `${path}.key`, report);
  if (operator === 'Exists') {
    if (value !== '') {
      report.add(fieldInvalid(`${path}.value`, value, 'must be empty for operator `Exists`'));
    }
  } else if (operator === 'Equal') format(labelValue)(value, `${path}.value`, report);
  else if (operator === '') report.add(fieldRequired(`${path}.operator`));
  else report.add(fieldNotSupported(`${path}.operator`, operator, ['Equal', 'Exists']));
  if (given !== '') effect(given, `${path}.effect`, report);
};
