import { isRecord, jsonEqual, recordAt, recordsAt, textAt } from '../../meta/json-value.ts';
import {
  endpointIp,
  unlessEmpty,
} from '../../server/registry/validation/addresses/address-checks.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty } from '../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../server/registry/validation/formats.ts';
import { ipWarnings, legacyIp } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format, oneOf, portNumber } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const hasAddress: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  if (!isEmpty(value['addresses']) || !isEmpty(value['notReadyAddresses'])) return;
  report.required(path, 'must specify `addresses` or `notReadyAddresses`');
};

const isIp = format(legacyIp);

const address: Check = all(
  (value, path, report) => isIp(textAt(value, 'ip'), `${path}.ip`, report),
  fields({
    hostname: unlessEmpty(format(dnsLabel)),
    nodeName: format(dnsSubdomain),
  }),
  (value, path, report) => endpointIp(textAt(value, 'ip'), `${path}.ip`, report),
);

const isLabel = format(dnsLabel);

/** Several ports need names; two of the same name are accepted. */
function portName(isRequired: boolean): Check {
  return (value, path, report) => {
    if (!isEmpty(value)) isLabel(value, path, report);
    else if (isRequired) report.required(path);
  };
}

function port(needsName: boolean): Check {
  return fields({
    name: portName(needsName),
    port: (value, path, report) => portNumber(value ?? 0, path, report),
    protocol: oneOf(['SCTP', 'TCP', 'UDP']),
    appProtocol: format(qualifiedName),
  });
}

const onePort = each(port(false));
const severalPorts = each(port(true));

const ports: Check = (value, path, report) => {
  const isOne = Array.isArray(value) && value.length === 1;
  (isOne ? onePort : severalPorts)(value, path, report);
};

const subsets: Check = each(
  all(hasAddress, fields({ addresses: each(address), notReadyAddresses: each(address), ports })),
);

/** Subsets that an update does not change are accepted as they are. */
const checks: Check = fields({
  subsets: (value, path, report, old) => {
    if (!report.isUpdate || !jsonEqual(value ?? [], old ?? [])) subsets(value, path, report);
  },
});

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';

function warnings(endpoints: unknown): string[] {
  // This controller writes canonical addresses.
  const labels = recordAt(endpoints, 'metadata', 'labels');
  if (labels?.[MANAGED_BY] === 'endpoint-controller') return [];
  return recordsAt(endpoints, 'subsets').flatMap((subset, index) =>
    ['addresses', 'notReadyAddresses'].flatMap((name) =>
      recordsAt(subset, name).flatMap((one, place) =>
        ipWarnings(`subsets[${index}].${name}[${place}].ip`, textAt(one, 'ip')),
      ),
    ),
  );
}

/** @see pkg/apis/core/validation/validation.go ValidateEndpoints @ v1.36.3 */
export const endpoints: KindRules = {
  resource: 'endpoints',
  strategy: { ...checkedBy(checks), warnings },
};
