import type { FieldCause } from '../../meta/failure/failures.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { textAt, type JsonRecord } from '../../meta/json-value.ts';
import { Report } from '../../server/registry/validation/check.ts';
import {
  checkServiceAddresses,
  CLUSTER_IPS,
  familyOf,
  IP_FAMILIES,
  IP_FAMILY_POLICY,
} from './service-address-checks.ts';
import {
  clusterIpsOf,
  familiesOf,
  hasSelector,
  isExternalName,
  sameTexts,
  typeOf,
} from './service-fields.ts';

/** The families of the addresses that this server assigns; the first one is the default. */
const CONFIGURED = ['IPv4'];
const NOTHING: JsonRecord = {};

const PREFER_DUAL = 'PreferDualStack';
const SINGLE = 'SingleStack';

const otherFamily = (family: string | undefined): string => (family === 'IPv4' ? 'IPv6' : 'IPv4');

/**
 * Sets `clusterIPs` to what `clusterIP` says when a client wrote only one of them.
 * @see pkg/registry/core/service/storage/storage.go normalizeClusterIPs @ v1.36.3
 */
export function normalizeClusterIps(spec: JsonRecord, old?: JsonRecord): void {
  const single = textAt(spec, 'clusterIP');
  if (old === undefined) {
    if (single !== '' && clusterIpsOf(spec).length === 0) spec['clusterIPs'] = [single];
    return;
  }
  const before = clusterIpsOf(old);
  const singleBefore = textAt(old, 'clusterIP');
  if (before.length > 0 && clusterIpsOf(spec).length === 0 && single === singleBefore) {
    spec['clusterIPs'] = before;
  }
  if (single === singleBefore || !sameTexts(before, clusterIpsOf(spec))) return;
  if (single === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [single];
}

/** Whether nothing is to be done for a Service of both families, which the families of a cluster do not change. */
export function isSamePreference(spec: JsonRecord, old: JsonRecord | undefined): boolean {
  if (old === undefined || typeOf(spec) !== typeOf(old) || isExternalName(spec)) return false;
  if (spec['ipFamilyPolicy'] !== PREFER_DUAL) return false;
  if ((old['ipFamilyPolicy'] ?? PREFER_DUAL) !== PREFER_DUAL) return false;
  return (
    sameTexts(clusterIpsOf(spec), clusterIpsOf(old)) && sameTexts(familiesOf(spec), familiesOf(old))
  );
}

/**
 * Sets `ipFamilyPolicy` and `ipFamilies`. The spec must be private. Returns the faults, after which it is not complete.
 * @see pkg/registry/core/service/storage/alloc.go initIPFamilyFields @ v1.36.3
 */
export function initIpFamilies(spec: JsonRecord, old?: JsonRecord): readonly FieldCause[] {
  if (isExternalName(spec) || isSamePreference(spec, old)) return [];
  const isFree = textAt(spec, 'clusterIP') === 'None' && !hasSelector(spec);
  spec['ipFamilyPolicy'] ??= old?.['ipFamilyPolicy'] ?? (isFree ? 'RequireDualStack' : SINGLE);
  const report = new Report(spec);
  checkServiceAddresses(spec, old ?? NOTHING, report);
  if (report.causes.length > 0) return report.causes;
  if (old !== undefined) applyRelease(spec, old, report);
  checkCounts(spec, report);
  inferFamilies(spec, report);
  if (report.causes.length > 0) return report.causes;
  if (isFree) completeFreeFamilies(spec);
  else if (checkConfigured(spec, report)) completeFamilies(spec);
  return report.causes;
}

const policyInvalid = (spec: JsonRecord, detail: string): FieldCause =>
  fieldInvalid(IP_FAMILY_POLICY, spec['ipFamilyPolicy'], detail);

/** A change to one family removes the second address and family, if the update left them. */
function applyRelease(spec: JsonRecord, old: JsonRecord, report: Report): void {
  const isSingle = spec['ipFamilyPolicy'] === SINGLE;
  for (const [field, read, what] of [
    ['clusterIPs', clusterIpsOf, 'cluster IP'],
    ['ipFamilies', familiesOf, 'IP family'],
  ] as const) {
    const [after, before] = [read(spec), read(old)];
    if (isSingle) {
      if (after.length > 1 && sameTexts(after, before)) spec[field] = after.slice(0, 1);
    } else if (after.length > 0 && after.length < before.length) {
      report.add(policyInvalid(spec, `must be 'SingleStack' to release the secondary ${what}`));
    }
  }
}

function checkCounts(spec: JsonRecord, report: Report): void {
  if (spec['ipFamilyPolicy'] !== SINGLE) return;
  for (const [values, what] of [
    [clusterIpsOf(spec), 'cluster IPs'],
    [familiesOf(spec), 'IP families'],
  ] as const) {
    if (values.length !== 2) continue;
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    report.add(policyInvalid(spec, detail));
  }
}

/** Adds the families of addresses that were asked for. */
function inferFamilies(spec: JsonRecord, report: Report): void {
  const addresses = clusterIpsOf(spec);
  for (const [index, address] of addresses.entries()) {
    const families = familiesOf(spec);
    if (address === 'None') return;
    if (index < families.length) continue;
    const family = familyOf(address) ?? 'unknown';
    if (CONFIGURED.includes(family)) spec['ipFamilies'] = [...families, family];
    else {
      const detail = `${family} is not configured on this cluster`;
      report.invalid(`${CLUSTER_IPS}[${index}]`, addresses, detail);
    }
  }
}

/** A service without a selector can have endpoints of both families, also in a cluster of one. */
function completeFreeFamilies(spec: JsonRecord): void {
  const families = familiesOf(spec);
  if (families.length === 0) families.push(CONFIGURED[0] as string);
  if (families.length < 2 && spec['ipFamilyPolicy'] !== SINGLE) {
    families.push(otherFamily(families[0]));
  }
  spec['ipFamilies'] = families;
}

function checkConfigured(spec: JsonRecord, report: Report): boolean {
  if (spec['ipFamilyPolicy'] === 'RequireDualStack' && CONFIGURED.length < 2) {
    report.add(policyInvalid(spec, 'this cluster is not configured for dual-stack services'));
  }
  for (const [index, family] of familiesOf(spec).entries()) {
    if (CONFIGURED.includes(family)) continue;
    const detail = 'not configured on this cluster';
    report.invalid(`${IP_FAMILIES}[${index}]`, family, detail);
  }
  return report.causes.length === 0;
}

function completeFamilies(spec: JsonRecord): void {
  const families = familiesOf(spec);
  if (families.length === 0) families.push(CONFIGURED[0] as string);
  if (spec['ipFamilyPolicy'] !== SINGLE && families.length === 1 && CONFIGURED.length === 2) {
    families.push(otherFamily(families[0]));
  }
  spec['ipFamilies'] = families;
}
