import { textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Report } from '../../server/registry/validation/check.ts';
import { parseIp } from '../../server/registry/validation/addresses/ip-address.ts';
import { legacyIp, unlessStored } from '../../server/registry/validation/addresses/ip-formats.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import { clusterIpsOf, familiesOf, isExternalName, isHeadless } from './service-fields.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const isPolicy = oneOf(['PreferDualStack', 'RequireDualStack', 'SingleStack']);

export const CLUSTER_IPS = 'spec.clusterIPs';
export const IP_FAMILIES = 'spec.ipFamilies';
export const IP_FAMILY_POLICY = 'spec.ipFamilyPolicy';
export const UNCHANGED = 'may not change once set';

/** `IPv4` or `IPv6`; undefined for what is no address. */
export function familyOf(text: string): string | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : `IPv${ip.family}`;
}

/** The values of a list as messages show them: Go's empty list is null. */
export function shown(values: readonly unknown[]): unknown {
  return values.length === 0 ? null : values;
}

function checkFamilies(families: readonly string[], report: Report): void {
  for (const [index, family] of families.entries()) {
    const path = `${IP_FAMILIES}[${index}]`;
    if (!FAMILIES.includes(family)) report.notSupported(path, family, FAMILIES);
    if (families.indexOf(family) < index) report.duplicate(path, family);
  }
}

function checkFirstAddress(spec: JsonRecord, report: Report): void {
  const single = textAt(spec, 'clusterIP');
  const addresses = clusterIpsOf(spec);
  if (single === '') {
    if (addresses.length === 0) return;
    const detail = 'must be empty when `clusterIP` is not specified';
    report.invalid(CLUSTER_IPS, addresses, detail);
  } else if (addresses.length === 0) report.required(CLUSTER_IPS);
  else if (addresses[0] !== single) {
    report.invalid(CLUSTER_IPS, addresses, 'first value must match `clusterIP`');
  }
}

/** Whether all addresses can be read. */
function checkTexts(addresses: readonly string[], old: JsonRecord, report: Report): boolean {
  const before = report.causes.length;
  const isAddress = format(unlessStored(legacyIp, clusterIpsOf(old)));
  for (const [index, address] of addresses.entries()) {
    if (index === 0 && address === 'None') {
      if (addresses.length === 1) continue;
      const detail = "'None' must be the first and only value";
      report.invalid(CLUSTER_IPS, addresses, detail);
    } else isAddress(address, `${CLUSTER_IPS}[${index}]`, report);
  }
  const areReadable = report.causes.length === before;
  if (addresses.length > 2) report.invalid(CLUSTER_IPS, addresses, 'may only hold up to 2 values');
  return areReadable;
}

/**
 * The rules of `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`, which belong together.
 * @see pkg/apis/core/validation/validation.go ValidateServiceClusterIPsRelatedFields @ v1.36.3
 */
export function checkServiceAddresses(spec: JsonRecord, old: JsonRecord, report: Report): void {
  if (isExternalName(spec)) return;
  const addresses = clusterIpsOf(spec);
  const families = familiesOf(spec);
  checkFirstAddress(spec, report);
  checkFamilies(families, report);
  isPolicy(spec['ipFamilyPolicy'], IP_FAMILY_POLICY, report);
  if (!checkTexts(addresses, old, report)) return;
  const ofAddresses = addresses.map(familyOf);
  if (addresses.length > 1 && new Set(ofAddresses).size < 2) {
    const detail = 'may specify no more than one IP for each IP family';
    report.invalid(CLUSTER_IPS, addresses, detail);
  }
  if (isHeadless(spec)) return;
  for (const [index, family] of families.entries()) {
    const address = addresses[index];
    if (address === undefined || !FAMILIES.includes(family)) continue;
    if (ofAddresses[index] === family) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    report.invalid(`${CLUSTER_IPS}[${index}]`, address, detail);
  }
}

/** Fields of the addresses that an update may not change; that of other fields is in the same order as upstream's. */
export function checkAddressUpdate(spec: JsonRecord, old: JsonRecord, report: Report): void {
  if (isExternalName(spec) || isExternalName(old)) return;
  const areHeadless = [isHeadless(spec), isHeadless(old)];
  if (!areHeadless.every(Boolean)) checkAddressesStay(spec, old, report);
  if (!areHeadless.some(Boolean)) checkFamiliesStay(spec, old, report);
}

function checkAddressesStay(spec: JsonRecord, old: JsonRecord, report: Report): void {
  const [after, before] = [clusterIpsOf(spec), clusterIpsOf(old)];
  const refuse = (index: number, detail: string): void =>
    report.invalid(`${CLUSTER_IPS}[${index}]`, shown(after), detail);
  if (after.length === before.length) {
    for (const [index, address] of before.entries()) {
      if (address !== after[index]) refuse(index, UNCHANGED);
    }
    return;
  }
  if (after.length === 0) refuse(0, 'primary clusterIP can not be unset');
  else if (before.length > 0 && after[0] !== before[0]) refuse(0, UNCHANGED);
  if (after.length < before.length) checkRelease(after, 'clusterIP', spec, report);
}

function checkFamiliesStay(spec: JsonRecord, old: JsonRecord, report: Report): void {
  const [after, before] = [familiesOf(spec), familiesOf(old)];
  const refuse = (value: readonly unknown[], detail: string): void =>
    report.invalid(`${IP_FAMILIES}[0]`, shown(value), detail);
  if (after.length === before.length) {
    for (const [index, family] of before.entries()) {
      if (family !== after[index]) refuse(after, UNCHANGED);
    }
    return;
  }
  const isReduced = after.length < before.length;
  if (isReduced && clusterIpsOf(spec).length === 0) {
    refuse(after, 'primary ipFamily can not be unset');
  }
  if (after.length > 0 && before.length > 0 && after[0] !== before[0]) {
    refuse(clusterIpsOf(spec), UNCHANGED);
  }
  if (isReduced) checkRelease(after, 'ipFamily', spec, report);
}

function checkRelease(
  left: readonly string[],
  what: string,
  { ipFamilyPolicy }: JsonRecord,
  report: Report,
): void {
  if (left.length !== 1 || ipFamilyPolicy === 'SingleStack') return;
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  report.invalid(IP_FAMILY_POLICY, ipFamilyPolicy ?? null, detail);
}
