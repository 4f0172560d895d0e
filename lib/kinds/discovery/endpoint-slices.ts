import { isRecord, jsonEqual, recordsAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { endpointIp } from '../../server/registry/validation/addresses/address-checks.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  first,
  required,
  requiredFor,
} from '../../server/registry/validation/combine.ts';
import { fullyQualifiedDomainName } from '../../server/registry/validation/domain-checks.ts';
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  qualifiedName,
  type Format,
} from '../../server/registry/validation/formats.ts';
import { parseIp } from '../../server/registry/validation/addresses/ip-address.ts';
import { ip, ipWarnings, legacyIp } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import { unlessEmpty } from '../../server/registry/validation/addresses/address-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
const MOST_PORTS = 20_000;
const MOST_HINTS = 8;

/** Refuses a list with more items; checks others. */
function atMostItems(limit: number, check: Check): Check {
  return (value, path, report, old) => {
    if (!Array.isArray(value)) return;
    if (value.length > limit) report.tooMany(path, value.length, limit);
    else check(value, path, report, old);
  };
}

/** Refuses names that an earlier item has, at the place of the name. */
function namesOnce(check: Check): Check {
  return (value, path, report) => {
    const seen = new Set<string>();
    for (const [index, item] of recordsOf(value).entries()) {
      const name = textAt(item, 'name');
      const place = `${path}[${index}].name`;
      if (seen.has(name)) report.duplicate(place, name);
      seen.add(name);
      check(name, place, report);
    }
  };
}

function recordsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function addressOf(family: 4 | 6, form: Format): Check {
  const detail = `must be an IPv${family} address`;
  const inFamily: Check = (value, path, report) => {
    if (parseIp(String(value))?.family === family) return;
    // The cause names the list, as kube-apiserver's does.
    report.invalid(path.slice(0, path.lastIndexOf('[')), value, detail);
  };
  return each(first(format(form), inFamily, endpointIp));
}

const addressesByType: Readonly<Record<string, Check>> = {
  IPv4: addressOf(4, legacyIp),
  IPv6: addressOf(6, ip),
  FQDN: each(fullyQualifiedDomainName),
};

const addresses: Check = (value, path, report) => {
  const count = Array.isArray(value) ? value.length : 0;
  requiredFor('must contain at least 1 address')(value, path, report);
  if (count > MOST_ADDRESSES) report.tooMany(path, count, MOST_ADDRESSES);
  const type = textAt(report.object, 'addressType');
  if (Object.hasOwn(addressesByType, type)) addressesByType[type]?.(value, path, report);
};

const endpoint: Check = fields({
  addresses,
  nodeName: format(dnsSubdomain),
  hostname: format(dnsLabel),
  hints: fields({
    forZones: atMostItems(MOST_HINTS, namesOnce(format(labelValue))),
    forNodes: atMostItems(MOST_HINTS, namesOnce(format(dnsSubdomain))),
  }),
});

const endpoints = atMostItems(MOST_ENDPOINTS, each(endpoint));

const port: Check = fields({
  protocol: oneOf(['SCTP', 'TCP', 'UDP']),
  appProtocol: format(qualifiedName),
});

const addressType: Check = required(oneOf(['FQDN', 'IPv4', 'IPv6']));

/** Comes after all other causes. */
const typeStays: Check = (_object, _path, report) => {
  if (!report.isUpdate) return;
  const type = textAt(report.object, 'addressType');
  if (type !== textAt(report.existing, 'addressType')) report.immutable('addressType', type);
};

const portLists: Check = atMostItems(
  MOST_PORTS,
  all(namesOnce(unlessEmpty(format(dnsLabel))), each(port)),
);

const checks: Check = all(
  fields({
    addressType,
    ports: portLists,
    // Endpoints that an update does not change are accepted as they are.
    endpoints: (value, path, report, old) => {
      if (!report.isUpdate || !jsonEqual(value ?? [], old ?? [])) endpoints(value, path, report);
    },
  }),
  typeStays,
);

const WRITTEN_BY_CONTROLLERS = new Set<unknown>([
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
]);

function warnings(slice: unknown, existing?: unknown): string[] {
  const isNew = existing === undefined && textAt(slice, 'addressType') === 'FQDN';
  const found = isNew ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  const manager = valueAt(slice, 'metadata', 'labels', 'endpointslice.kubernetes.io/managed-by');
  if (WRITTEN_BY_CONTROLLERS.has(manager)) return found;
  for (const [index, one] of recordsAt(slice, 'endpoints').entries()) {
    for (const [place, text] of textsAt(one, 'addresses').entries()) {
      found.push(...ipWarnings(`endpoints[${index}].addresses[${place}]`, text));
    }
  }
  return found;
}

/** Writes through v1 drop the topology of older versions. */
function dropTopology(slice: MutableObject): void {
  for (const one of recordsAt(slice, 'endpoints')) {
    if (one['deprecatedTopology'] !== undefined) delete one['deprecatedTopology'];
  }
}

/** @see pkg/apis/discovery/validation/validation.go, pkg/registry/discovery/endpointslice @ v1.36.3 */
export const endpointSlices: KindRules = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  strategy: {
    ...checkedBy(checks),
    warnings,
    prepareForCreate: dropTopology,
    prepareForUpdate(slice, existing) {
      const { metadata } = slice;
      const { metadata: before } = existing;
      // The labels name the service, so that they count as content; so does the topology that is dropped.
      const isSame =
        jsonEqual(metadata.labels ?? {}, before.labels ?? {}) &&
        jsonEqual(slice['endpoints'] ?? [], existing['endpoints'] ?? []);
      if (isSame) return;
      metadata.generation = (before.generation ?? 0) + 1;
      dropTopology(slice);
    },
  },
};
