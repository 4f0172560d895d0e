import {
  fieldDuplicate,
  fieldImmutable,
  fieldInvalid,
} from '../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  recordsAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isChanged } from '../../server/registry/validation/combine.ts';
import { atLeast, immutable, oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { fieldNotSupported } from '../../server/registry/rules/field-causes.ts';

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
      report.add(fieldDuplicate(`${place}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    if (typeof expirationSeconds !== 'number') continue;
    const wrong = (detail: string): void =>
      report.add(fieldInvalid(`${place}.expirationSeconds`, expirationSeconds, detail));
    const rule = 'may not specify a duration';
    if (expirationSeconds < SHORTEST_TOKEN_SECONDS) wrong(`${rule} less than 10 minutes`);
    if (expirationSeconds > LONGEST_TOKEN_SECONDS) wrong(`${rule} larger than 2^32 seconds`);
  }
};

const lifecycleModes: Check = (modes, path, report) => {
  for (const mode of Array.isArray(modes) ? modes : []) {
    if (!MODES.includes(mode)) report.add(fieldNotSupported(path, mode, MODES));
  }
};

const tokensInSecrets: Check = (value, path, report) => {
  if (value === undefined || recordsAt(report.object, 'spec', 'tokenRequests').length > 0) return;
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  report.add(fieldInvalid(path, value, detail));
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
        if (isChanged(value, report, old)) {
          report.add(fieldImmutable('spec.attachedRequired', value));
        }
      },
      volumeLifecycleModes: immutable,
    }),
  ),
});

const UNSAFE_TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Behind a feature gate that is off. */
function withoutGated(driver: MutableObject): void {
  const { preventPodSchedulingIfMissing: _gated, ...spec } = driver['spec'] as JsonRecord;
  if (_gated !== undefined) driver['spec'] = spec;
}

export const csiDrivers: KindRules = {
  group: 'storage.k8s.io',
  resource: 'csidrivers',
  strategy: {
    ...checkedBy(checks),
    prepareForCreate: withoutGated,
    prepareForUpdate(driver, existing) {
      withoutGated(driver);
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
