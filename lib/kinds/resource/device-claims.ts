import { isRecord, numberAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import { atMostItems, distinctTexts, namedItems } from './bounded-lists.ts';
import { fullyQualifiedName, labelOf } from './device-names.ts';
import { deviceToleration } from './devices.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';

const LARGEST_PARAMETERS = 10 * 1024;

/** An object of a driver, at most so many bytes as it is. */
export function driverObject(most: number = LARGEST_PARAMETERS): Check {
  return (value, path, report) => {
    if (value === undefined || value === null) return report.required(path);
    if (Buffer.byteLength(JSON.stringify(value)) > most) {
      report.tooLong(path, most, 'bytes');
    } else if (!isRecord(value)) {
      report.invalid(path, '<value omitted>', 'must be a valid JSON object');
    }
  };
}

const opaque = fields({ driver: csiDriverName, parameters: driverObject() });

/** The configuration for a driver. @see pkg/apis/resource/validation validateDeviceConfiguration @ v1.36.3 */
export const deviceConfiguration: Check = fields({
  opaque: (value, path, report) => {
    if (value === undefined) report.required(path);
    else opaque(value, path, report);
  },
});

const LONGEST_EXPRESSION = 10 * 1024;

/** A selector in CEL, which is stored and not compiled. */
const deviceSelector: Check = fields({
  cel: (value, path, report) => {
    if (!isRecord(value)) return report.required(path);
    const { expression } = value;
    if (typeof expression !== 'string') return;
    if (Buffer.byteLength(expression) <= LONGEST_EXPRESSION) return;
    report.tooLong(`${path}.expression`, LONGEST_EXPRESSION, 'bytes');
  },
});

export const MOST_REQUESTS = 32;
export const MOST_CONFIGURATIONS = 32;
const MOST_SELECTORS = 32;
const MOST_ALTERNATIVES = 8;

export const selectors: Check = atMostItems(MOST_SELECTORS, each(deviceSelector));

const allocation: Check = (request, path, report) => {
  const mode = textAt(request, 'allocationMode');
  const count = numberAt(request, 'count');
  const wrong = (detail: string): void => report.invalid(`${path}.count`, count, detail);
  if (mode === 'All') {
    if (count !== 0) wrong("must not be specified when allocationMode is 'All'");
  } else if (mode === 'ExactCount') {
    if (count <= 0) wrong('must be greater than zero');
  } else {
    report.notSupported(`${path}.allocationMode`, mode, ['All', 'ExactCount']);
  }
};

const exactly: Check = all(
  fields({ deviceClassName: required(format(dnsSubdomain)), selectors }),
  allocation,
  fields({ tolerations: each(deviceToleration) }),
);

const firstAvailable = namedItems(MOST_ALTERNATIVES, all(fields({ name: labelOf }), exactly));

const request: Check = (value, path, report) => {
  const exact = valueAt(value, 'exactly');
  const first = valueAt(value, 'firstAvailable');
  labelOf(valueAt(value, 'name'), `${path}.name`, report);
  const rule = 'exactly one of `exactly` or `firstAvailable` is required';
  const hasFirst = !isEmpty(first);
  if (exact !== undefined && hasFirst) {
    report.invalid(path, null, `${rule}, but multiple fields are set`);
  } else if (hasFirst) firstAvailable(first, `${path}.firstAvailable`, report);
  else if (exact === undefined) report.required(path, rule);
  else exactly(exact, `${path}.exactly`, report);
};

/** The names of requests, and of their alternatives as `request/alternative`. */
function requestNames(claim: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const one of recordsAt(claim, 'requests')) {
    const name = textAt(one, 'name');
    names.add(name);
    for (const sub of recordsAt(one, 'firstAvailable')) names.add(`${name}/${textAt(sub, 'name')}`);
  }
  return names;
}

/** References to the requests of a claim. */
export function requestReference(claim: unknown): Check {
  const names = requestNames(claim);
  return (value = '', path, report) => {
    const name = String(value);
    const parts = name.split('/');
    if (parts.length <= 2) for (const part of parts) labelOf(part, path, report);
    if (names.has(name)) return;
    const rule =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    report.invalid(path, name, rule);
  };
}

/** Lists of references to the requests of a claim. */
export function requestReferences(claim: unknown): Check {
  return distinctTexts(MOST_REQUESTS, requestReference(claim));
}

const constraint: Check = (value, path, report) => {
  const matchAttribute = valueAt(value, 'matchAttribute');
  const distinctAttribute = valueAt(value, 'distinctAttribute');
  if (matchAttribute !== undefined) {
    fullyQualifiedName(matchAttribute, `${path}.matchAttribute`, report);
  } else if (distinctAttribute !== undefined) {
    fullyQualifiedName(distinctAttribute, `${path}.distinctAttribute`, report);
  } else {
    const rule =
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    report.required(path, rule);
  }
};

const requests = fields({ requests: namedItems(MOST_REQUESTS, request) });

/** @see pkg/apis/resource/validation validateDeviceClaim @ v1.36.3 */
export const deviceClaim: Check = (claim, path, report) => {
  if (!isRecord(claim)) return;
  requests(claim, path, report);
  if (claim['constraints'] === undefined && claim['config'] === undefined) return;
  const referring = fields({ requests: requestReferences(claim) });
  fields({
    constraints: atMostItems(MOST_REQUESTS, each(all(referring, constraint))),
    config: atMostItems(MOST_CONFIGURATIONS, each(all(referring, deviceConfiguration))),
  })(claim, path, report);
};
