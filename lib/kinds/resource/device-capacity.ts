import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { isEmpty } from '../../server/registry/validation/combine.ts';
import {
  compareQuantities,
  nanosOf,
  wholeOf,
} from '../../server/registry/validation/quantity-checks.ts';
import { canonicalQuantity } from '../../server/registry/typed/quantity.ts';
import { atMostItems, distinct } from './bounded-lists.ts';

const MOST_VALUES = 10;

function isMore(left: unknown, right: unknown): boolean {
  return compareQuantities(left, right) > 0;
}

/** The values that may be asked for. */
function validValues(values: readonly string[], path: string, report: Report, given: Limits): void {
  const wrong = (place: string, value: string, detail: string): void =>
    report.add(fieldInvalid(place, value, detail));
  for (const [index, value] of values.entries()) {
    if (index > 0 && isMore(values[index - 1], value)) {
      wrong(`${path}[${index}]`, value, 'values must be sorted in ascending order');
    }
  }
  const fits: Check = (list) => {
    for (const [index, value] of (list as readonly string[]).entries()) {
      if (!isMore(value, given.capacity)) continue;
      wrong(`${path}[${index}]`, value, `option is larger than capacity value: ${given.capacity}`);
    }
  };
  atMostItems(
    MOST_VALUES,
    fits,
    distinct((one) => String(wholeOf(one))),
  )(values, path, report);
  const isKnown =
    values.length <= MOST_VALUES &&
    values.some((one) => compareQuantities(one, given.byDefault) === 0);
  if (!isKnown)
    wrong(path, given.byDefault, 'default value is not valid according to the requestPolicy');
}

interface Limits {
  readonly capacity: string;
  readonly byDefault: string;
}

/** A range of what may be asked for. @see pkg/apis/resource/validation validateRequestPolicyRange @ v1.36.3 */
function validRange(
  range: unknown,
  path: string,
  report: Report,
  { capacity, byDefault }: Limits,
): void {
  const [min, max, step] = ['min', 'max', 'step'].map((name) => valueAt(range, name));
  const wrong = (name: string, value: string, detail: string): void =>
    report.add(fieldInvalid(`${path}.${name}`, value, detail));
  if (typeof min !== 'string') {
    report.add(fieldRequired(`${path}.min`, 'required when validRange is defined'));
    return;
  }
  if (isMore(min, capacity)) wrong('min', min, `min is larger than capacity value: ${capacity}`);
  if (isMore(min, byDefault)) wrong('min', byDefault, `default is less than min: ${min}`);
  if (typeof max === 'string') {
    if (isMore(min, max)) wrong('max', min, `min is larger than max: ${max}`);
    if (isMore(max, capacity)) wrong('max', max, `max is larger than capacity value: ${capacity}`);
    if (isMore(byDefault, max)) wrong('max', byDefault, `default is more than max: ${max}`);
  }
  if (typeof step !== 'string') return;
  const added = sumOf(min, step);
  if (isMore(added, capacity)) {
    wrong('step', step, `one step ${added} is larger than capacity value: ${capacity}`);
  }
  for (const value of [byDefault, max]) {
    if (typeof value !== 'string' || isMultiple(value, min, step)) continue;
    wrong('step', value, `value is not a multiple of a given step (${step}) from (${min})`);
  }
}

function isMultiple(value: string, min: string, step: string): boolean {
  const size = wholeOf(step);
  // kube-apiserver fails for a step of 0, which it divides by.
  return size === 0n || (wholeOf(value) - wholeOf(min)) % size === 0n;
}

/** In the form of the first one, as Go adds. */
function sumOf(one: string, other: string): string {
  const NANO = 1_000_000_000n;
  const total = nanosOf(one) + nanosOf(other);
  const isBinary = /[KMGTPE]i$/.test(one);
  if (!isBinary || total % (1024n * NANO) !== 0n) return canonicalQuantity(`${total}n`);
  return canonicalQuantity(`${total / NANO / 1024n}Ki`);
}

const requestPolicy = (policy: unknown, path: string, report: Report, capacity: string): void => {
  const values = textsAt(policy, 'validValues');
  const range = valueAt(policy, 'validRange');
  const byDefault = valueAt(policy, 'default');
  if (values.length > 0 && range !== undefined) {
    const rule =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return report.add(fieldForbidden(path, rule));
  }
  if (values.length === 0 && range === undefined) return;
  const name = values.length > 0 ? 'validValues' : 'validRange';
  if (typeof byDefault !== 'string') {
    return report.add(fieldRequired(`${path}.default`, `required when ${name} is defined`));
  }
  const limits = { capacity, byDefault };
  if (values.length > 0) validValues(values, `${path}.${name}`, report, limits);
  else validRange(range, `${path}.${name}`, report, limits);
};

/** How much a device has of something, and how much of it one may ask for where several may use the device. */
export function deviceCapacity(isShared: boolean): Check {
  return (capacity, path, report) => {
    const policy = isRecord(capacity) ? capacity['requestPolicy'] : undefined;
    if (policy === undefined || isEmpty(policy)) return;
    const place = `${path}.requestPolicy`;
    if (isShared) requestPolicy(policy, place, report, textAt(capacity, 'value'));
    else report.add(fieldForbidden(place, 'allowMultipleAllocations must be true'));
  };
}
