import {
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, type JsonRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { each, fields, required } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import { nodeSelector } from '../pods/placement/affinity.ts';
import { bindingConditions } from './binding-conditions.ts';
import { atMostItems, boundedMap, namedItems } from './bounded-lists.ts';
import { deviceCapacity } from './device-capacity.ts';
import { labelOf, LONGEST_QUALIFIED_NAME, qualifiedName } from './device-names.ts';
import { deviceTaint } from './device-taints.ts';

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
  report.add(fieldTooLong(path, LONGEST_VALUE, 'bytes'));
};

const version: Check = (text, path, report) => {
  if (typeof text === 'string' && (text.length > LONGEST_VALUE || !SEMVER.test(text))) {
    const rule = 'must be a string compatible with semver.org spec 2.0.0';
    if (!SEMVER.test(text.slice(0, 10 * LONGEST_VALUE))) report.add(fieldInvalid(path, text, rule));
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
const LISTS = ['IntValues', 'BoolValues', 'StringValues', 'VersionValues'];

const attribute: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  values(value, path, report);
  const set = Object.keys(VALUES).filter((name) => value[name] !== undefined);
  if (set.length === 1) return;
  const form: JsonRecord = {};
  for (const [name, goName] of Object.entries(VALUES)) form[goName] = value[name] ?? null;
  for (const list of LISTS) form[list] = null;
  report.add(
    fieldInvalid(path, set.length === 0 ? '' : form, 'exactly one value must be specified'),
  );
};

const attributes = boundedMap(Infinity, LONGEST_QUALIFIED_NAME, qualifiedName, attribute);
const capacities = [false, true].map((isShared) =>
  boundedMap(Infinity, LONGEST_QUALIFIED_NAME, qualifiedName, deviceCapacity(isShared)),
) as [Check, Check];

const counters: Check = (map, path, report) => {
  if (!isRecord(map) || Object.keys(map).length === 0) return report.add(fieldRequired(path));
  boundedMap(MOST_COUNTERS, LONGEST_LABEL, labelOf)(map, path, report);
};

/** Counters that several devices draw from. */
export const counterSet: Check = fields({ name: required(labelOf), counters });

const consumption = fields({ counterSet: required(labelOf), counters });

const before = fields({ name: labelOf, attributes });
const after = fields({
  taints: atMostItems(MOST_TAINTS, each(deviceTaint)),
  consumesCounters: namedItems(MOST_CONSUMPTIONS, consumption, 'counterSet'),
});

const PLACES = ['nodeName', 'nodeSelector', 'allNodes'];

/** On which nodes a device is, where each says so. */
const devicePlace: Check = (device, path, report) => {
  const { nodeName, nodeSelector: selector, allNodes } = device as JsonRecord;
  const set: string[] = [];
  if (nodeName === '') report.add(fieldInvalid(`${path}.nodeName`, '', 'must not be empty'));
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
    report.add(fieldInvalid(`${path}.allNodes`, allNodes, rule));
  }
  const rule =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) report.add(fieldRequired(path, rule));
  else if (set.length > 1) report.add(fieldInvalid(path, `{${set.join(', ')}}`, rule));
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
      report.add(fieldInvalid(path, members, rule));
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
      report.add(fieldInvalid(path, null, rule));
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
