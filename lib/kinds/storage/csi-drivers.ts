import {
  isRecord,
  jsonEqual,
  recordsAt,
  valueAt,
  textAt,
  textsAt,
  recordAt,
} from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isChanged, each } from '../../server/registry/validation/combine.ts';
import {
  atLeast,
  immutable,
  oneOf,
  nonNegative,
  format,
} from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { qualifiedName, dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import { deprecatedNodeLabel } from '../../server/registry/rules/deprecated-node-labels.ts';
import {
  hasWrongSelectorValue,
  labelSelector,
} from '../../server/registry/validation/label-selector-checks.ts';
import { nonNegativeQuantity } from '../../server/registry/validation/quantity-checks.ts';

/** @see pkg/apis/storage/validation ValidateCSIStorageCapacity @ v1.36.3 */
const capacityChecks = all(
  fields({
    nodeTopology: (value, path, report, old) =>
      labelSelector({ strictValues: !hasWrongSelectorValue(old) })(value, path, report),
    storageClassName: format(dnsSubdomain),
    capacity: nonNegativeQuantity,
  }),
  fields({ nodeTopology: immutable, storageClassName: immutable }),
);

export const csiStorageCapacities: KindRules = {
  group: 'storage.k8s.io',
  resource: 'csistoragecapacities',
  strategy: {
    ...checkedBy(capacityChecks),
    warnings(capacity) {
      const found: string[] = [];
      const path = 'nodeTopology';
      for (const [index, { key }] of recordsAt(capacity, path, 'matchExpressions').entries()) {
        const message = deprecatedNodeLabel(key);
        if (message === undefined) continue;
        found.push(`${path}.matchExpressions[${index}].key: ${String(key)} is ${message}`);
      }
      for (const key of Object.keys(recordAt(capacity, path, 'matchLabels') ?? {})) {
        const message = deprecatedNodeLabel(key);
        if (message !== undefined) found.push(`${path}.matchLabels.${key}: ${message}`);
      }
      return found;
    },
  },
};

const LONGEST_ID = 256;

const nodeId: Check = (id = '', path, report) => {
  if (id === '') report.required(path);
  else if (Buffer.byteLength(String(id)) > LONGEST_ID) {
    report.invalid(path, id, `must be ${LONGEST_ID} characters or less`);
  }
};

const one = fields({
  name: csiDriverName,
  nodeID: nodeId,
  allocatable: fields({ count: nonNegative }),
});

/** Keys are named at the driver, not at their place in it. */
const topologyKeys: Check = (driver, path, report) => {
  const seen = new Set<string>();
  for (const key of textsAt(driver, 'topologyKeys')) {
    if (key === '') report.required(path);
    if (seen.has(key)) report.duplicate(path, key);
    seen.add(key);
    for (const problem of qualifiedName(key)) report.invalid(path, key, problem);
  }
};

/** @see pkg/apis/storage/validation validateCSINodeDrivers @ v1.36.3 */
const drivers: Check = (list, path, report) => {
  const names = new Set<string>();
  each((driver, place) => {
    one(driver, place, report);
    const name = textAt(driver, 'name');
    if (names.has(name)) report.duplicate(`${place}.name`, name);
    names.add(name);
    topologyKeys(driver, place, report);
  })(list, path, report);
};

/** Of a driver that stays, only what can be allocated may change. */
const sameDrivers: Check = (list, path, report, old) => {
  for (const before of recordsAt(old)) {
    for (const driver of recordsAt(list)) {
      if (driver['name'] !== before['name']) continue;
      const { allocatable: _now, ...now } = driver;
      const { allocatable: _then, ...then } = before;
      if (jsonEqual(now, then)) continue;
      report.immutable(path, goForm('storage.CSINodeDriver', now));
    }
  }
};

export const csiNodes: KindRules = {
  group: 'storage.k8s.io',
  resource: 'csinodes',
  strategy: checkedBy(fields({ spec: fields({ drivers: all(drivers, sameDrivers) }) })),
};

const SHORTEST_TOKEN_SECONDS = 600;
const LONGEST_TOKEN_SECONDS = 2 ** 32;
const MODES: readonly unknown[] = ['Persistent', 'Ephemeral'];

/** Tokens for each audience once. */
const tokenRequests: Check = (requests, path, report) => {
  const audiences = new Set<unknown>();
  for (const [index, one] of (Array.isArray(requests) ? requests : []).entries()) {
    const { audience, expirationSeconds } = isRecord(one) ? one : {};
    const place = `${path}[${index}]`;
    if (audiences.has(audience)) {
      report.duplicate(`${place}.audience`, audience);
      continue;
    }
    audiences.add(audience);
    if (typeof expirationSeconds !== 'number') continue;
    const wrong = (detail: string): void =>
      report.invalid(`${place}.expirationSeconds`, expirationSeconds, detail);
    const rule = 'may not specify a duration';
    if (expirationSeconds < SHORTEST_TOKEN_SECONDS) wrong(`${rule} less than 10 minutes`);
    if (expirationSeconds > LONGEST_TOKEN_SECONDS) wrong(`${rule} larger than 2^32 seconds`);
  }
};

const lifecycleModes: Check = (modes, path, report) => {
  for (const mode of Array.isArray(modes) ? modes : []) {
    if (!MODES.includes(mode)) report.notSupported(path, mode, MODES);
  }
};

const tokensInSecrets: Check = (value, path, report) => {
  if (value === undefined || recordsAt(report.object, 'spec', 'tokenRequests').length > 0) return;
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  report.invalid(path, value, detail);
};

/** @see pkg/apis/storage/validation validateCSIDriverSpec @ v1.36.3 */
const checks = fields({
  spec: all(
    fields({
      fsGroupPolicy: oneOf(['File', 'None', 'ReadWriteOnceWithFSType']),
      tokenRequests,
      volumeLifecycleModes: lifecycleModes,
      nodeAllocatableUpdatePeriodSeconds: atLeast(
        10,
        'must be greater than or equal to 10 seconds',
      ),
      serviceAccountTokenInSecrets: tokensInSecrets,
    }),
    fields({
      attachRequired: (value, _path, report, old) => {
        // The path is that of kube-apiserver, which has no such field.
        if (isChanged(value, report, old)) report.immutable('spec.attachedRequired', value);
      },
      volumeLifecycleModes: immutable,
    }),
  ),
});

const UNSAFE_TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const csiDrivers: KindRules = {
  group: 'storage.k8s.io',
  resource: 'csidrivers',
  strategy: {
    ...checkedBy(checks),
    prepareForUpdate(driver, existing) {
      if (jsonEqual(driver['spec'], existing['spec'])) return;
      driver.metadata.generation = (existing.metadata.generation ?? 0) + 1;
    },
    warnings(driver, existing) {
      const requests = recordsAt(driver, 'spec', 'tokenRequests');
      if (requests.length === 0) return [];
      if (valueAt(driver, 'spec', 'serviceAccountTokenInSecrets') !== undefined) return [];
      const same =
        existing !== undefined && jsonEqual(requests, recordsAt(existing, 'spec', 'tokenRequests'));
      return same ? [] : [UNSAFE_TOKENS];
    },
  },
};
