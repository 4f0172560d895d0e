import {
  fieldForbidden,
  fieldImmutable,
  fieldInvalid,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
} from '../../meta/json-value.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { interfaceAddress } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import { nodeSelector } from '../pods/placement/affinity.ts';
import { bindingConditions } from './binding-conditions.ts';
import { atMostItems, distinct, distinctTexts } from './bounded-lists.ts';
import {
  MOST_CONFIGURATIONS,
  MOST_REQUESTS,
  requestReference,
  requestReferences,
} from './device-claims.ts';
import { deviceConfiguration, driverObject } from './device-configuration.ts';
import { labelOf, poolName, shareId } from './device-names.ts';

const MOST_CONSUMERS = 256;
const MOST_ADDRESSES = 16;
const LONGEST_INTERFACE = 256;
const LONGEST_HARDWARE_ADDRESS = 128;

const consumers = atMostItems(
  MOST_CONSUMERS,
  each(fields({ resource: required(), name: required(), uid: required() })),
  distinct((one) => textAt(one, 'uid')),
);

/** A device of a claim, as messages show it. */
function deviceId(device: unknown): object {
  return {
    Driver: textAt(device, 'driver'),
    Pool: textAt(device, 'pool'),
    Device: textAt(device, 'device'),
    ShareID: textAt(device, 'shareID'),
  };
}

function noLonger(most: number): Check {
  return (text, path, report) => {
    if (typeof text !== 'string' || Buffer.byteLength(text) <= most) return;
    report.add(fieldTooLong(path, most, 'bytes'));
  };
}

const networkData = fields({
  interfaceName: noLonger(LONGEST_INTERFACE),
  hardwareAddress: noLonger(LONGEST_HARDWARE_ADDRESS),
  ips: distinctTexts(MOST_ADDRESSES, format(interfaceAddress)),
});

const identity = fields({
  driver: csiDriverName,
  pool: poolName,
  device: labelOf,
  shareID: shareId,
});

const reported = fields({
  conditions: conditionsCheck,
  data: (data, path, report) => {
    if (data !== undefined && data !== null) driverObject()(data, path, report);
  },
  networkData,
});

/** The status of the devices of an allocation, which drivers write. */
function deviceStatus(allocation: unknown): Check {
  const allocated = new Set(
    recordsAt(allocation, 'devices', 'results').map((one) => JSON.stringify(deviceId(one))),
  );
  return (device, path, report) => {
    identity(device, path, report);
    const id = deviceId(device);
    if (!allocated.has(JSON.stringify(id))) {
      report.add(fieldInvalid(path, id, 'must be an allocated device in the claim'));
    }
    reported(device, path, report);
  };
}

function allocationCheck(claim: unknown): Check {
  const result = all(
    fields({
      request: requestReference(claim),
      driver: csiDriverName,
      pool: poolName,
      device: labelOf,
    }),
    bindingConditions,
    fields({ shareID: shareId }),
  );
  const config = all(
    fields({
      source: required(oneOf(['FromClaim', 'FromClass'])),
      requests: requestReferences(claim),
    }),
    deviceConfiguration,
  );
  return fields({
    devices: fields({
      results: atMostItems(MOST_REQUESTS, each(result)),
      config: atMostItems(2 * MOST_CONFIGURATIONS, each(config)),
    }),
    nodeSelector: nodeSelector(true),
  });
}

/** @see pkg/apis/resource/validation validateResourceClaimStatusUpdate @ v1.36.3 */
const status: Check = (value, path, report, old) => {
  if (!isRecord(value)) return;
  const { reservedFor, devices, allocation } = value;
  consumers(reservedFor, `${path}.reservedFor`, report);
  if (Array.isArray(devices)) {
    const place = `${path}.devices`;
    each(deviceStatus(allocation))(devices, place, report);
    distinct(deviceId)(devices, place, report);
  }
  if (!isEmpty(reservedFor)) reservation(value, path, report, old);
  if (allocation === undefined) return;
  const place = `${path}.allocation`;
  const before = recordAt(old, 'allocation');
  if (before === undefined) {
    const claim = recordAt(report.object, 'spec', 'devices');
    allocationCheck(claim)(allocation, place, report);
  } else if (!jsonEqual(allocation, before)) {
    report.add(fieldImmutable(place, goForm('resource.AllocationResult', allocation)));
  }
};

const reservation: Check = (value, path, report, old) => {
  const refuse = (rule: string): void => report.add(fieldForbidden(`${path}.reservedFor`, rule));
  if (recordAt(value, 'allocation') === undefined) {
    return refuse('may not be specified when `allocated` is not set');
  }
  if (textAt(report.object, 'metadata', 'deletionTimestamp') === '') return;
  const before = recordsAt(old, 'reservedFor');
  if (recordsAt(value, 'reservedFor').every((one) => before.some((other) => jsonEqual(one, other))))
    return;
  refuse(
    'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
  );
};

const checks = fields({ status });

export const claimStatusCauses = (
  object: Parameters<typeof causesOf>[1],
  existing: Parameters<typeof causesOf>[2],
): ReturnType<typeof causesOf> => causesOf(checks, object, existing);
