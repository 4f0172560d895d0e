import { qualifiedName } from '../../server/registry/validation/formats.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import {
  checkedBy,
  causesOf,
  type Check,
  type Report,
} from '../../server/registry/validation/check.ts';
import {
  fields,
  isChanged,
  each,
  all,
  isEmpty,
  required,
} from '../../server/registry/validation/combine.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { claimTemplateMetadata } from '../pods/volumes/ephemeral-volume.ts';
import {
  deviceClaim,
  MOST_CONFIGURATIONS,
  selectors,
  MOST_REQUESTS,
  requestReference,
  requestReferences,
  deviceConfiguration,
  driverObject,
} from './device-claims.ts';
import { invalid } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { parseApiVersion } from '../../meta/resource.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import type { RequestContext } from '../../server/registry/contract/rest-storage.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import type { StoreHooks, WriteTarget } from '../../server/registry/contract/store-hooks.ts';
import { fieldForbidden } from '../../server/registry/rules/field-causes.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  isRecord,
  jsonEqual,
} from '../../meta/json-value.ts';
import { atMostItems, distinct, distinctTexts } from './bounded-lists.ts';
import { isExtendedResource, labelOf, poolName, shareId } from './device-names.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import { interfaceAddress } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import { nodeSelector } from '../pods/placement/affinity.ts';
import { bindingConditions } from './devices.ts';

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
    report.tooLong(path, most, 'bytes');
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
      report.invalid(path, id, 'must be an allocated device in the claim');
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
    report.immutable(place, goForm('resource.AllocationResult', allocation, report.policy.minor));
  }
};

const reservation: Check = (value, path, report, old) => {
  const refuse = (rule: string): void => report.forbidden(`${path}.reservedFor`, rule);
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

const claimStatusCauses = (
  object: Parameters<typeof causesOf>[1],
  existing: Parameters<typeof causesOf>[2],
): ReturnType<typeof causesOf> => causesOf(checks, object, existing);

function extendedResourceProblems(name: string, report: Report): readonly string[] {
  if (!report.isSince('extendedResourceProblems'))
    return ['must be a valid extended resource name'];
  const slash = name.indexOf('/');
  const problems = [
    ...(slash < 0 ? ["a name must be a domain-prefixed path, such as 'example.com/my-prop'"] : []),
    ...(name.startsWith('requests.') ? ['must not have "requests." prefix'] : []),
    ...(name.slice(0, Math.max(slash, 0)).endsWith('kubernetes.io')
      ? ['must not have "kubernetes.io/" domain']
      : []),
    ...qualifiedName(name).filter((problem) => name !== '' || !problem.endsWith('non-empty')),
  ];
  return problems;
}

/** @see pkg/apis/resource/validation validateDeviceClassSpec @ v1.36.3 */
export const deviceClasses: KindRules = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  strategy: checkedBy(
    fields({
      spec: fields({
        selectors,
        config: atMostItems(MOST_CONFIGURATIONS, each(deviceConfiguration)),
        extendedResourceName: (name, path, report) => {
          if (typeof name !== 'string' || isExtendedResource(name)) return;
          for (const problem of extendedResourceProblems(name, report)) {
            report.invalid(path, name, problem);
          }
        },
      }),
    }),
  ),
};

const LABEL = 'resource.kubernetes.io/admin-access';

/**
 * Refuses a claim with access to all devices outside of the namespaces that an administrator has labelled for it.
 * @see pkg/registry/resource/resourceutils.go AuthorizedForAdmin @ v1.36.3
 */
class AdminAccess implements StoreHooks {
  readonly #storeOf: HookParts['storeOf'];
  readonly #spec: readonly string[];

  /** @param spec the path of the spec of the claim */
  constructor({ storeOf }: Pick<HookParts, 'storeOf'>, spec: readonly string[]) {
    this.#storeOf = storeOf;
    this.#spec = spec;
  }

  /** @throws {ApiError} 422. */
  async authorize(
    { namespace }: RequestContext,
    claim: UnstructuredObject,
    { existing }: WriteTarget,
  ): Promise<void> {
    if (existing !== undefined) return;
    const requests = recordsAt(claim, ...this.#spec, 'devices', 'requests');
    const place = requests.findIndex((one) => valueAt(one, 'exactly', 'adminAccess') === true);
    if (place === -1 || (await this.#isLabelled(namespace))) return;
    const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
    const cause = fieldForbidden(`spec.devices.requests[${place}].adminAccess`, detail);
    const subject = { ...parseApiVersion(claim.apiVersion ?? ''), kind: claim.kind ?? '' };
    throw invalid(subject, claim.metadata?.name ?? '', [cause]);
  }

  async #isLabelled(namespace: string): Promise<boolean> {
    const store = this.#storeOf('', 'namespaces');
    if (store === undefined) return false;
    const { object } = await store.get(serverContext(''), namespace);
    return textAt(recordAt(object, 'metadata', 'labels'), LABEL) === 'true';
  }
}

const GROUP = 'resource.k8s.io';

/** A spec that stays as it is; at an update nothing else is said of it. */
function fixed(type: string, check: Check): Check {
  return (spec, path, report, old) => {
    if (!report.isUpdate) check(spec, path, report);
    else if (isChanged(spec, report, old)) {
      report.immutable(path, goForm(type, spec, report.policy.minor));
    }
  };
}

const spec = fields({ devices: deviceClaim });

export const resourceClaims: KindRules = {
  group: GROUP,
  resource: 'resourceclaims',
  strategy: checkedBy(fields({ spec: fixed('resource.ResourceClaimSpec', spec) })),
  statusStrategy: newStatusStrategy({ keepMetadata: true, validateUpdate: claimStatusCauses }),
  newHooks: (parts) => new AdminAccess(parts, ['spec']),
};

export const resourceClaimTemplates: KindRules = {
  group: GROUP,
  resource: 'resourceclaimtemplates',
  strategy: checkedBy(
    fields({
      spec: fixed(
        'resource.ResourceClaimTemplateSpec',
        fields({ metadata: claimTemplateMetadata, spec }),
      ),
    }),
  ),
  newHooks: (parts) => new AdminAccess(parts, ['spec', 'spec']),
};
