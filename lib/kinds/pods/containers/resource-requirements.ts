import { fieldNotFound } from '../../../server/registry/rules/field-causes.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Report } from '../../../server/registry/validation/check.ts';
import { dnsLabel } from '../../../server/registry/validation/formats.ts';
import {
  compareQuantities,
  nanosOf,
  nonNegativeQuantity,
  wholeOf,
  wholeQuantity,
} from '../../../server/registry/validation/quantity-checks.ts';
import { format } from '../../../server/registry/validation/values.ts';
import {
  isExtendedResource,
  isHugePages,
  mayOvercommit,
  type ResourceNameCheck,
} from './resource-names.ts';

const NANO = 1_000_000_000n;

interface Requirements {
  readonly nameCheck: ResourceNameCheck;
  /** The claims that the pod has. */
  readonly claimNames: ReadonlySet<string>;
}

/**
 * Limits, requests and claims of a container, or of a pod.
 * @see pkg/apis/core/validation/validation.go validateResourceRequirements @ v1.36.3
 */
export function checkRequirements(
  requirements: JsonRecord,
  path: string,
  report: Report,
  { nameCheck, claimNames }: Requirements,
): void {
  const limits = recordAt(requirements, 'limits') ?? {};
  const requests = recordAt(requirements, 'requests') ?? {};
  const names = {
    limits: Object.keys(limits).toSorted(),
    requests: Object.keys(requests).toSorted(),
  };
  for (const name of names.limits) {
    checkAmount(name, limits[name], `${path}.limits[${name}]`, report, nameCheck);
    checkPages(name, limits[name], `${path}.limits[${name}]`, report);
  }
  for (const name of names.requests) {
    const at = `${path}.requests[${name}]`;
    checkAmount(name, requests[name], at, report, nameCheck);
    checkAgainstLimit(name, requests[name], limits, path, report);
    checkPages(name, requests[name], at, report);
  }
  const all = [...names.limits, ...names.requests];
  if (all.some(isHugePages) && !all.some((name) => name === 'cpu' || name === 'memory')) {
    report.forbidden(path, 'HugePages require cpu or memory');
  }
  const claims = recordsAt(requirements, 'claims');
  if (claims.length > 0) checkClaims(claims, `${path}.claims`, report, claimNames);
}

function checkAmount(
  name: string,
  amount: unknown,
  at: string,
  report: Report,
  nameCheck: ResourceNameCheck,
): void {
  nameCheck(name, at, report);
  nonNegativeQuantity(amount, at, report);
  if (isExtendedResource(name)) wholeQuantity(amount, at, report);
}

function checkAgainstLimit(
  name: string,
  request: unknown,
  limits: JsonRecord,
  path: string,
  report: Report,
): void {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const isStrict = !mayOvercommit(name);
  if (limit === undefined) {
    const rule = 'Limit must be set for non overcommitable resources';
    if (isStrict) report.required(`${path}.limits`, rule);
    return;
  }
  const order = compareQuantities(request, limit);
  if (order === 0 || (order < 0 && !isStrict)) return;
  const relation = isStrict ? 'equal to' : 'less than or equal to';
  const rule = `must be ${relation} ${name} limit of ${limit as string}`;
  report.invalid(`${path}.requests`, request, rule);
}

function checkPages(name: string, amount: unknown, at: string, report: Report): void {
  if (!isHugePages(name) || isWholePages(name, amount)) return;
  const rule = `${String(amount)} is not positive integer multiple of ${name}`;
  report.invalid(at, amount, rule);
}

function isWholePages(name: string, amount: unknown): boolean {
  let size: bigint;
  try {
    size = nanosOf(name.slice('hugepages-'.length));
  } catch (error) {
    // The name is no size.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
  return size > 0n && size % NANO === 0n && wholeOf(amount) % (size / NANO) === 0n;
}

const requestName = format(dnsLabel);

function checkClaims(
  claims: readonly JsonRecord[],
  path: string,
  report: Report,
  podClaims: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(claim, 'name');
    if (name === '') {
      report.required(at);
      continue;
    }
    checkClaimUse(name, textAt(claim, 'request'), at, report, seen);
    if (podClaims.has(name)) continue;
    const known =
      podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].toSorted().join(', ')}`;
    const cause = fieldNotFound(at, name);
    const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
    report.add({ ...cause, message: `${cause.message}: ${detail}` });
  }
}

/** A claim, or a request of it, may be named once; a whole claim only when none of its requests is. */
function checkClaimUse(
  name: string,
  request: string,
  at: string,
  report: Report,
  seen: Set<string>,
): void {
  if (seen.has(name)) {
    report.duplicate(at, name);
    return;
  }
  if (request !== '') requestName(request, `${at}.request`, report);
  const key = request === '' ? name : `${name}/${request}`;
  if (seen.has(key)) report.duplicate(at, key);
  else if (request === '') {
    for (const other of seen) {
      if (other.startsWith(`${name}/`)) report.duplicate(at, name);
    }
  }
  seen.add(key);
}
