import { isRecord, textAt, textsAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { each, fields, required, isEmpty } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain, labelValue } from '../../server/registry/validation/formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import { nodeSelector } from '../pods/placement/affinity.ts';
import { atMostItems, boundedMap, namedItems, distinct } from './bounded-lists.ts';
import { labelOf, LONGEST_QUALIFIED_NAME, qualifiedName } from './device-names.ts';
import {
  compareQuantities,
  nanosOf,
  wholeOf,
} from '../../server/registry/validation/quantity-checks.ts';
import { canonicalQuantity } from '../../meta/quantity.ts';
import { labelName } from '../../server/registry/validation/label-selector-checks.ts';

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
      if (list.indexOf(text) < index) report.duplicate(place, text);
      if (list === failing && wanted.includes(text)) {
        const rule = 'bindingFailureConditions must not overlap with bindingConditions';
        report.invalid(place, text, rule);
      }
    }
  }
  const missing = (name: string, other: string): void =>
    report.invalid(`${path}.${name}`, null, `${name} are required to use ${other}`);
  if (wanted.length === 0 && failing.length > 0) missing(BOTH[0], BOTH[1]);
  if (failing.length === 0 && wanted.length > 0) missing(BOTH[1], BOTH[0]);
};

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
    if (value !== '') report.invalid(`${path}.value`, value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') format(labelValue)(value, `${path}.value`, report);
  else if (operator === '') report.required(`${path}.operator`);
  else report.notSupported(`${path}.operator`, operator, ['Equal', 'Exists']);
  if (given !== '') effect(given, `${path}.effect`, report);
};

const MOST_VALUES = 10;

function isMore(left: unknown, right: unknown): boolean {
  return compareQuantities(left, right) > 0;
}

/** The values that may be asked for. */
function validValues(values: readonly string[], path: string, report: Report, given: Limits): void {
  const wrong = (place: string, value: string, detail: string): void =>
    report.invalid(place, value, detail);
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
    report.invalid(`${path}.${name}`, value, detail);
  if (typeof min !== 'string') {
    report.required(`${path}.min`, 'required when validRange is defined');
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
    return report.forbidden(path, rule);
  }
  if (values.length === 0 && range === undefined) return;
  const name = values.length > 0 ? 'validValues' : 'validRange';
  if (typeof byDefault !== 'string') {
    return report.required(`${path}.default`, `required when ${name} is defined`);
  }
  const limits = { capacity, byDefault };
  if (values.length > 0) validValues(values, `${path}.${name}`, report, limits);
  else validRange(range, `${path}.${name}`, report, limits);
};

/** How much a device has of something, and how much of it one may ask for where several may use the device. */
function deviceCapacity(isShared: boolean): Check {
  return (capacity, path, report) => {
    const policy = isRecord(capacity) ? capacity['requestPolicy'] : undefined;
    if (policy === undefined || isEmpty(policy)) return;
    const place = `${path}.requestPolicy`;
    if (isShared) requestPolicy(policy, place, report, textAt(capacity, 'value'));
    else report.forbidden(place, 'allowMultipleAllocations must be true');
  };
}

const MOST_MEMBERS = 32;
const MOST_COUNTERS = 32;
const MOST_CONSUMPTIONS = 2;
const MOST_TAINTS = 16;
const LONGEST_VALUE = 64;
const LONGEST_LABEL = 63;

const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;

const shortText: Check = (text, path, report) => {
  if (typeof text !== 'string' || Buffer.byteLength(text) <= LONGEST_VALUE) return;
  report.tooLong(path, LONGEST_VALUE, 'bytes');
};

const version: Check = (text, path, report) => {
  if (typeof text === 'string' && (text.length > LONGEST_VALUE || !SEMVER.test(text))) {
    const rule = 'must be a string compatible with semver.org spec 2.0.0';
    if (!SEMVER.test(text.slice(0, 10 * LONGEST_VALUE))) report.invalid(path, text, rule);
  }
  shortText(text, path, report);
};

const values = fields({ string: shortText, version });
/** The names of Go's fields. */
const VALUES = {
  int: 'IntValue',
  bool: 'BoolValue',
  string: 'StringValue',
  version: 'VersionValue',
};
const ALL_VALUES = [...Object.keys(VALUES), 'ints', 'bools', 'strings', 'versions'];
const LISTS = ['IntValues', 'BoolValues', 'StringValues', 'VersionValues'];

const attribute: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  values(value, path, report);
  const set = Object.keys(VALUES).filter((name) => value[name] !== undefined);
  if (set.length === 1) return;
  if (set.length > 1 && report.isSince('attributeValuesNamed')) {
    const rule = `must specify exactly one of: ${ALL_VALUES.map((name) => `\`${name}\``).join(', ')}`;
    return report.invalid(path, `{${set.join(', ')}}`, rule);
  }
  const form: JsonRecord = {};
  for (const [name, goName] of Object.entries(VALUES)) form[goName] = value[name] ?? null;
  for (const list of LISTS) form[list] = null;
  report.invalid(path, set.length === 0 ? '' : form, 'exactly one value must be specified');
};

const attributes = boundedMap(Infinity, LONGEST_QUALIFIED_NAME, qualifiedName, attribute);
const capacities = [false, true].map((isShared) =>
  boundedMap(Infinity, LONGEST_QUALIFIED_NAME, qualifiedName, deviceCapacity(isShared)),
) as [Check, Check];

const counters: Check = (map, path, report) => {
  if (!isRecord(map) || Object.keys(map).length === 0) return report.required(path);
  boundedMap(MOST_COUNTERS, LONGEST_LABEL, labelOf)(map, path, report);
};

/** Counters that several devices draw from. */
export const counterSet: Check = fields({ name: required(labelOf), counters });

const consumption = fields({ counterSet: required(labelOf), counters });

const before = fields({ name: labelOf, attributes });
const after = fields({
  taints: atMostItems(MOST_TAINTS, each(deviceTaint)),
  consumesCounters: namedItems(MOST_CONSUMPTIONS, consumption, { member: 'counterSet' }),
});

const PLACES = ['nodeName', 'nodeSelector', 'allNodes'];

/** On which nodes a device is, where each says so. */
const devicePlace: Check = (device, path, report) => {
  const { nodeName, nodeSelector: selector, allNodes } = device as JsonRecord;
  const set: string[] = [];
  if (nodeName === '') report.invalid(`${path}.nodeName`, '', 'must not be empty');
  else if (nodeName !== undefined) {
    set.push('`nodeName`');
    format(dnsSubdomain)(nodeName, `${path}.nodeName`, report);
  }
  if (selector !== undefined) {
    set.push('`nodeSelector`');
    nodeSelector(true)(selector, `${path}.nodeSelector`, report);
  }
  if (allNodes === true) set.push('`allNodes`');
  else if (allNodes !== undefined) {
    const rule = 'must be either unset or set to true';
    report.invalid(`${path}.allNodes`, allNodes, rule);
  }
  const rule =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) report.required(path, rule);
  else if (set.length > 1) report.invalid(path, `{${set.join(', ')}}`, rule);
};

/** @see pkg/apis/resource/validation validateDevice @ v1.36.3 */
export function device({ hasPlace }: { readonly hasPlace: boolean }): Check {
  return (value, path, report) => {
    if (!isRecord(value)) return;
    const members = ['attributes', 'capacity']
      .map((name) => Object.keys(value[name] ?? {}).length)
      .reduce((sum, count) => sum + count, 0);
    if (members > MOST_MEMBERS) {
      const rule = `the total number of attributes and capacities must not exceed ${MOST_MEMBERS}`;
      report.invalid(path, members, rule);
    }
    before(value, path, report);
    const [alone, shared] = capacities;
    const capacity = value['allowMultipleAllocations'] === true ? shared : alone;
    capacity(value['capacity'], `${path}.capacity`, report);
    after(value, path, report);
    if (hasPlace) devicePlace(value, path, report);
    else if (PLACES.some((name) => value[name] !== undefined)) {
      const rule =
        '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
      report.invalid(path, null, rule);
    }
    bindingConditions(value, path, report);
  };
}

/** Whether devices use what makes allocations more work, so that a slice has fewer of them. */
export function isAdvanced(devices: readonly JsonRecord[]): boolean {
  return devices.some(
    ({ taints, consumesCounters }) => taints !== undefined || consumesCounters !== undefined,
  );
}
