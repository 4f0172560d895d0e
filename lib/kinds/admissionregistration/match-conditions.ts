import {
  fieldDuplicate,
  fieldRequired,
  fieldTooMany,
} from '../../server/registry/rules/field-causes.ts';
import { textAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { each, fields, required } from '../../server/registry/validation/combine.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';

const MOST_CONDITIONS = 64;

/** Ends the warning of each expression that is stored and not evaluated. */
export const NOT_EVALUATED = 'CEL expressions are not evaluated by this server';

/** An expression must not be blank. Whether it compiles is not checked. */
export function expression(detail = ''): Check {
  return (value, path, report) => {
    if (typeof value === 'string' && value.trim() !== '') return;
    report.add(fieldRequired(path, detail));
  };
}

const condition = fields({
  expression: expression(),
  name: required(format(qualifiedName)),
});

/** @see pkg/apis/admissionregistration/validation validateMatchConditions @ v1.36.3 */
export const matchConditions: Check = (list, path, report) => {
  if (Array.isArray(list) && list.length > MOST_CONDITIONS) {
    report.add(fieldTooMany(path, list.length, MOST_CONDITIONS));
  }
  const names = new Set<string>();
  each((one, place) => {
    condition(one, place, report);
    const name = textAt(one, 'name');
    if (name !== '' && names.has(name)) report.add(fieldDuplicate(`${place}.name`, name));
    names.add(name);
  })(list, path, report);
};
