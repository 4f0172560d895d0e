import { fieldDuplicate, fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { textsAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { each, fields } from '../../server/registry/validation/combine.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';
import { atMostItems } from './bounded-lists.ts';

const MOST_CONDITIONS = 4;
const conditions = atMostItems(MOST_CONDITIONS, each(labelName));
const BOTH = ['bindingConditions', 'bindingFailureConditions'] as const;
const lists = fields({ bindingConditions: conditions, bindingFailureConditions: conditions });

/** Conditions for which a device waits; there are both sorts or none. @see validateDeviceBindingParameters @ v1.36.3 */
export const bindingConditions: Check = (device, path, report) => {
  lists(device, path, report);
  const wanted = textsAt(device, BOTH[0]);
  const failing = textsAt(device, BOTH[1]);
  for (const [name, list] of [
    [BOTH[0], wanted],
    [BOTH[1], failing],
  ] as const) {
    for (const [index, text] of list.entries()) {
      const place = `${path}.${name}[${index}]`;
      if (list.indexOf(text) < index) report.add(fieldDuplicate(place, text));
      if (list === failing && wanted.includes(text)) {
        const rule = 'bindingFailureConditions must not overlap with bindingConditions';
        report.add(fieldInvalid(place, text, rule));
      }
    }
  }
  const missing = (name: string, other: string): void =>
    report.add(fieldInvalid(`${path}.${name}`, null, `${name} are required to use ${other}`));
  if (wanted.length === 0 && failing.length > 0) missing(BOTH[0], BOTH[1]);
  if (failing.length === 0 && wanted.length > 0) missing(BOTH[1], BOTH[0]);
};
