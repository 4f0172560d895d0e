import { timestampOf } from '../../server/registry/rules/duration.ts';
import { isRecord, recordAt, recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isEmpty } from '../../server/registry/validation/combine.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { atLeast, format, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { nodeSelector } from '../pods/placement/affinity.ts';
import { namedItems } from './bounded-lists.ts';
import { poolName } from './device-names.ts';
import { counterSet, device, isAdvanced } from './devices.ts';

const MOST_DEVICES = 128;
const MOST_ADVANCED_DEVICES = 64;
const MOST_COUNTER_SETS = 8;

const pool = fields({
  name: poolName,
  resourceSliceCount: atLeast(1, 'must be greater than zero'),
  generation: atLeast(0, 'must be greater than or equal to zero'),
});

const fixed = fields({ pool: fields({ name: immutable }), driver: immutable, nodeName: immutable });

const terms: Check = (selector, path, report) => {
  const list = recordsAt(selector, 'nodeSelectorTerms');
  if (list.length === 1) return;
  const shown = list.map((one) => goForm('core.NodeSelectorTerm', one));
  report.invalid(`${path}.nodeSelectorTerms`, shown, 'must have exactly one node selector term');
};

/** On which nodes the devices of a slice are. */
const place: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { nodeName, nodeSelector: selector } = spec;
  const set: string[] = [];
  const wrong = (name: string, value: unknown, rule: string): void =>
    report.invalid(`${path}.${name}`, value, rule);
  if (nodeName === '') wrong('nodeName', '', 'must be either unset or set to a non-empty string');
  else if (nodeName !== undefined) {
    set.push('`nodeName`');
    format(dnsSubdomain)(nodeName, `${path}.nodeName`, report);
  }
  if (selector !== undefined) {
    set.push('`nodeSelector`');
    all(nodeSelector(true), terms)(selector, `${path}.nodeSelector`, report);
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    const value = spec[name];
    if (value === true) set.push(`\`${name}\``);
    else if (value !== undefined) wrong(name, value, 'must be either unset or set to true');
  }
  const rule =
    'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) report.required(path, rule);
  else if (set.length > 1) {
    const shown = `{${set.join(', ')}}`;
    report.invalid(path, shown, `${rule}, but multiple fields are set`);
  }
};

const sharedCounters = namedItems(MOST_COUNTER_SETS, counterSet);

const parts: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  const { sharedCounters: counters, devices, perDeviceNodeSelection } = spec;
  if (!isEmpty(counters) && !isEmpty(devices)) {
    report.invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed');
  }
  const most = isAdvanced(recordsAt(devices)) ? MOST_ADVANCED_DEVICES : MOST_DEVICES;
  const one = device({ hasPlace: perDeviceNodeSelection === true });
  namedItems(most, one, { isDeclared: false })(devices, `${path}.devices`, report);
  sharedCounters(counters, `${path}.sharedCounters`, report);
};

/** Lists of values and resources of nodes are behind feature gates that are off; a taint has the time at which it was set. */
function prepared(slice: MutableObject, nowMs: number): void {
  const spec = recordAt(slice, 'spec');
  const devices = recordsAt(spec, 'devices');
  if (devices.length === 0) return;
  const now = timestampOf(nowMs);
  slice['spec'] = { ...spec, devices: devices.map((one) => preparedDevice(one, now)) };
}

const LISTS = ['ints', 'bools', 'strings', 'versions'];

function preparedDevice(one: JsonRecord, now: string): JsonRecord {
  const { nodeAllocatableResourceMappings: _gated, ...result } = one;
  const { taints, attributes } = result;
  if (Array.isArray(taints)) {
    result['taints'] = recordsAt(taints).map((taint) => ({
      ...taint,
      timeAdded: taint['timeAdded'] ?? now,
    }));
  }
  if (isRecord(attributes) && Object.values(attributes).some(hasList)) {
    result['attributes'] = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, withoutLists(value)]),
    );
  }
  return result;
}

function hasList(attribute: unknown): boolean {
  return isRecord(attribute) && LISTS.some((name) => attribute[name] !== undefined);
}

function withoutLists(attribute: unknown): object {
  const members = Object.entries(attribute as object).filter(([name]) => !LISTS.includes(name));
  return Object.fromEntries(members);
}

/** @see pkg/apis/resource/validation validateResourceSliceSpec @ v1.36.3 */
export const resourceSlices: KindRules = {
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  selectableFields: {
    'spec.nodeName': (slice) => textAt(slice, 'spec', 'nodeName'),
    'spec.driver': (slice) => textAt(slice, 'spec', 'driver'),
    'spec.pool.name': (slice) => textAt(slice, 'spec', 'pool', 'name'),
  },
  selectableSince: { 'spec.pool.name': 'slicesByPool' },
  refuseField: (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  strategy: {
    ...checkedBy(
      fields({ spec: all(fields({ driver: csiDriverName, pool }), fixed, place, parts) }),
    ),
    warnings(slice) {
      const driver = textAt(slice, 'spec', 'driver');
      if (!/[A-Z]/.test(driver)) return [];
      const rule = 'driver names should be lowercase';
      return [`spec.driver: ${rule}; ${JSON.stringify(driver)} contains uppercase characters`];
    },
    prepareForCreate: (slice, { nowMs }) => prepared(slice, nowMs),
    prepareForUpdate: (slice, _existing, { nowMs }) => prepared(slice, nowMs),
  },
};
