import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { cIdentifier, dnsLabel, dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';

const LONGEST_POOL = 253;
const LONGEST_ID = 32;
const LONGEST_DOMAIN = 63;
/** Of a domain, a slash and an identifier. */
export const LONGEST_QUALIFIED_NAME: number = LONGEST_DOMAIN + 1 + LONGEST_ID;

/** A label; an absent one is empty. */
export const labelOf: Check = (name = '', path, report) => format(dnsLabel)(name, path, report);

/** A pool of devices: subdomains with slashes between them. */
export const poolName: Check = (value = '', path, report) => {
  const name = String(value);
  if (name === '') return report.required(path);
  if (name.length > LONGEST_POOL) report.tooLong(path, LONGEST_POOL, 'bytes');
  for (const part of name.split('/')) format(dnsSubdomain)(part, path, report);
};

const identifier: Check = (name, path, report) => {
  const text = String(name);
  if (text.length > LONGEST_ID) report.tooLong(path, LONGEST_ID, 'bytes');
  format(cIdentifier)(text, path, report);
};

/** An identifier, which may have a domain before it. @see pkg/apis/resource/validation validateQualifiedName @ v1.36.3 */
export const qualifiedName: Check = (value, path, report) => {
  const [domain = '', name = '', ...more] = String(value).split('/');
  if (!String(value).includes('/')) return identifier(domain, path, report);
  if (more.length > 0) return;
  const empty = (part: string): void => report.invalid(path, '', `the ${part} must not be empty`);
  if (domain === '') empty('domain');
  else csiDriverName(domain, path, report);
  if (name === '') empty('name');
  else identifier(name, path, report);
};

export const fullyQualifiedName: Check = (value, path, report) => {
  qualifiedName(value, path, report);
  if (String(value).includes('/')) return;
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  report.invalid(path, value, detail);
};

/** A name with a domain, as nodes report resources of their own. */
export function isExtendedResource(name: string): boolean {
  if (!name.includes('/') || name.includes('kubernetes.io/')) return false;
  if (name.startsWith('requests.')) return false;
  const [domain = '', own = '', ...more] = name.split('/');
  const fits = more.length === 0 && /^[A-Za-z\d](?:[\w.-]{0,61}[A-Za-z\d])?$/.test(own);
  return fits && dnsSubdomain(`requests.${domain}`).length === 0;
}

const UUID_LENGTH = 36;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An identifier that was made by a driver. */
export const shareId: Check = (value, path, report) => {
  if (typeof value !== 'string') return;
  const wrong = (detail: string): void => report.invalid(path, value, detail);
  if (value.length !== UUID_LENGTH) {
    wrong(`error validating uid: invalid UUID length: ${value.length}`);
  } else if (!UUID.test(value)) wrong('error validating uid: invalid UUID format');
  else if (value !== value.toLowerCase()) {
    const form = '`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
    wrong(`uid must be in RFC 4122 normalized form, ${form}`);
  }
};
